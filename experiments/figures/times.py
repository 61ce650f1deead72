"""Time against the number of diagrams, split by what it is spent on."""

import numpy as np
from experiments.figures import drawing
from experiments.figures.drawing import BLUE, GREEN, ORANGE, CannotDraw, Drawn
from experiments.figures.results import SECONDS, TASK, Results
from matplotlib.patches import Patch

from pbow.experiment.tasks import FINAL

# From the bottom of a bar to its top, in the order of SECONDS.
STEPS = {"codebook": BLUE, "assignment": ORANGE, "classification": GREEN}
# The bars of a pair, left and right of its middle.
BARS = {"PBoW": (-0.21, ""), "sPBoW": (0.21, "////")}
WIDTH = 0.38


def time_against_size(results: Results) -> Drawn:
    """Draw the supplement's figure "Time vs. dataset size"."""
    generated = [e.name for e in results.experiment.datasets if e.surfaces is not None]
    chosen = results.chosen.assign(stage=FINAL)
    chosen = chosen[chosen.dataset.isin(generated) & chosen.descriptor.isin(BARS)]
    runs = chosen[[*TASK, "n_train", "n_test"]].merge(results.runs, on=TASK)
    runs["n"] = runs.n_train + runs.n_test
    sizes = sorted(set(runs.n))
    if len(sizes) < 2:
        msg = "It needs finished cells of PBoW or sPBoW on surfaces of two sizes."
        raise CannotDraw(msg)
    times = runs.groupby(["descriptor", "n"])[SECONDS].median()
    figure, axes = drawing.new_panels(["all steps", "representation only"])
    shown = {name: bar for name, bar in BARS.items() if name in times.index}
    for ax, steps in zip(axes, (SECONDS, SECONDS[:2]), strict=True):
        for name, (shift, hatch) in shown.items():
            places, bottom = np.arange(len(sizes)) + shift, np.zeros(len(sizes))
            look = {"hatch": hatch, "edgecolor": "white", "linewidth": 0.0}
            for step, color in zip(steps, STEPS.values(), strict=False):
                height = times.loc[name][step].reindex(sizes, fill_value=0.0).to_numpy()
                ax.bar(places, height, WIDTH, bottom=bottom, color=color, **look)
                bottom = bottom + height
        ax.set_xticks(range(len(sizes)), [f"{n:,}" for n in sizes], rotation=45)
        ax.set(xlabel="number of diagrams", ylabel="seconds", axisbelow=True)
        ax.grid(axis="y", alpha=0.3)
    handles = [Patch(facecolor=color, label=step) for step, color in STEPS.items()]
    for name, (_, hatch) in shown.items():
        handles.append(Patch(facecolor="0.5", edgecolor="w", hatch=hatch, label=name))
    drawing.add_legend(figure, handles)
    return figure, {
        "n_train": (runs.n_train / runs.n).mean(),
        "dimensions": ", ".join(map(str, sorted(set(runs.n_features)))),
        "machines": "; ".join(sorted(set(runs.machine))),
    }
