"""What a reader must know of a table: protocol, reduction, what tests can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbow.datasets.catalog import CATALOG
from pbow.experiment.comparison import (
    ALPHA,
    Compared,
    by_corrected_t_test,
    by_wilcoxon,
    column_title,
    compare,
    is_other_data,
    stand_in_for,
)
from pbow.experiment.declaration import (
    Cell,
    DatasetEntry,
    DescriptorEntry,
    Experiment,
)
from pbow.experiment.estimate import count_work
from pbow.experiment.plan import n_repetitions, plan
from pbow.experiment.runs import FINAL, SCREEN, Run
from pbow.experiment.significance import smallest_p

__all__ = ["caption", "counted", "powered_caption"]

Runs = Mapping[str, Run]
Cells = Mapping[tuple[str, str], Compared]

_IN_WORDS = {
    "groups": "a third of the groups for testing",
    "50/50 groups": "half of the groups for testing",
    "4 folds": "4 folds of whole groups",
}

# The paper's own total is dominated by this one, so sums are given without it as well.
SLOWEST = "WassersteinKernel"


def caption(experiment: Experiment, runs: Runs) -> str:
    """Return the caption of the table of an experiment.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key.

    Returns
    -------
    caption : str
        Paragraphs, with an empty line between them.
    """
    cells = compare(experiment, runs, by_wilcoxon)
    return _joined(
        _scores(experiment),
        _divisions(experiment, cells),
        _scaling(experiment),
        _wilcoxon(experiment),
        _stand_ins(experiment),
        _work(experiment, runs),
        _times(cells),
        _gaps(cells),
    )


def powered_caption(experiment: Experiment, runs: Runs) -> str:
    """Return the caption of the table with the corrected resampled t-test.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key.

    Returns
    -------
    caption : str
        Paragraphs, with an empty line between them.
    """
    cells = compare(experiment, runs, by_corrected_t_test)
    return _joined(
        _scores(experiment),
        _divisions(experiment, cells),
        _scaling(experiment),
        _T_TEST,
        _stand_ins(experiment),
        _work(experiment, runs),
        _times(cells),
        _gaps(cells),
    )


_T_TEST = (
    "p: corrected resampled t-test (Nadeau and Bengio 2003) of the difference from the "
    "best mean of the column, two-sided, over paired repetitions; the variance has the "
    "factor 1/n + n_test/n_train, because repetitions share samples. Bold: the best, "
    f"and every method with p ≥ {ALPHA:g}. There is no correction for the number of "
    "tests, nor for the best having been picked by the same numbers."
)


def _scores(experiment: Experiment) -> str:
    """Say what the lines are: of those that may be left out, the ones there are."""
    text = (
        "Percent of the test samples that were classified correctly: mean ± sample "
        "standard deviation over the repetitions. Here: parameters and C are chosen by "
        "cross-validation inside the training part of each repetition (nested)."
    )
    if any(len(cell.combinations()) > 1 for cell in experiment.cells):
        text += (
            " Test-chosen: the one combination of parameters whose mean accuracy on "
            "the test parts is best, which is how the paper's authors choose. It is "
            "optimistic, because the test parts have chosen it, and left out where "
            "there is nothing to choose."
        )
    if any(cell.reported is not None for cell in experiment.cells):
        text += (
            " Paper: as printed there, with its own bold; which standard deviation it "
            "gives, it does not say."
        )
    return text


def _scaling(experiment: Experiment) -> str:
    """Say which rows are not given to the classifier as they come."""
    rows = experiment.descriptors
    # Similarities that are made of distances are never divided.
    rescaled = [row for row in rows if row.rescale and row.similarity == "kernel"]
    standardized = [row for row in rows if row.standardize]
    texts = []
    if standardized:
        texts.append(
            "Standardized (features are shifted and scaled by their means and standard "
            f"deviations in the training part): {_titles(standardized, rows)}."
        )
    if rescaled:
        texts.append(
            "Rescaled (similarities are divided by the mean of their diagonal in the "
            "training part, for vectors the mean squared norm, so that a value of C "
            f"means the same for all): {_titles(rescaled, rows)}."
        )
    if texts and any(row not in rescaled + standardized for row in rows):
        texts.append("Rows that are not named are classified as they come.")
    return " ".join(texts)


def _titles(some: Sequence[DescriptorEntry], rows: Sequence[DescriptorEntry]) -> str:
    # Titles have commas.
    return "all rows" if len(some) == len(rows) else "; ".join(r.title for r in some)


def _divisions(experiment: Experiment, cells: Cells) -> str:
    """Say how often and how each data set is divided."""
    texts = []
    for dataset in experiment.datasets:
        n = n_repetitions(experiment, dataset)
        text = f"{column_title(dataset)}: {counted(n, 'division')}"
        protocol = _protocol(dataset, n)
        if protocol is not None:
            text += f" ({_IN_WORDS.get(protocol, protocol)})"
        sizes = {
            (run.n_train, run.n_test)
            for (name, _), cell in cells.items()
            if name == dataset.name
            for run in cell.outcome.nested
        }
        if sizes:
            n_train, n_test = (_range(values) for values in zip(*sizes, strict=True))
            text += f", {n_train} + {n_test}"
        if dataset.per_class is not None:
            text += f", {dataset.per_class} a class"
        texts.append(text)
    return (
        "All methods see the same divisions, and codebooks, boxes and the largest "
        f"distance come from the training part alone{_exceptions(experiment)}. "
        f"Samples for training + for testing: {'; '.join(texts)}."
    )


def _exceptions(experiment: Experiment) -> str:
    on_all = [entry.title for entry in experiment.descriptors if entry.on_all_rows]
    if not on_all:
        return ""
    return (
        f" (not of {', '.join(on_all)}: fitted to training and test samples together)"
    )


def _wilcoxon(experiment: Experiment) -> str:
    """Say what the test can show with so few repetitions."""
    by_n: dict[int, list[str]] = {}
    for dataset in experiment.datasets:
        n = n_repetitions(experiment, dataset)
        by_n.setdefault(n, []).append(column_title(dataset))
    limits = []
    for n, titles in by_n.items():
        text = f"on {counted(n, 'pair')} it cannot go below {smallest_p(n):g}"
        if smallest_p(n) >= ALPHA:
            text += (
                f", so that at {ALPHA:g} no difference in the column can ever be "
                f"significant ({', '.join(titles)}: all are bold)"
            )
        elif 2 * smallest_p(n) >= ALPHA:
            text += (
                ", which it reaches only where all differences have the same sign and "
                "none is zero"
            )
        limits.append(text)
    return (
        "Bold: the best mean of a column, and every method that the exact two-sided "
        f"Wilcoxon signed-rank test at p < {ALPHA:g} cannot tell from it. With few "
        f"repetitions that test can show little: {'; '.join(limits)}. Bold means not "
        "shown to be worse, which is less than as good. As in the paper there is no "
        "correction for multiple tests." + _best_of_all(experiment)
    )


def _best_of_all(experiment: Experiment) -> str:
    if not any(entry.ours for entry in experiment.descriptors):
        return ""
    return " The best is the best of all rows, those that are not the paper's included."


def _stand_ins(experiment: Experiment) -> str:
    pairs = [
        f"{column_title(dataset)} (for {true})"
        for dataset in experiment.datasets
        if (true := stand_in_for(dataset)) is not None
    ]
    different = [
        f"{column_title(dataset)} ({dataset.differs})"
        for dataset in experiment.datasets
        if dataset.differs
    ]
    text = ""
    if pairs:
        text += f"Stand-ins, other data of the same form: {', '.join(pairs)}. "
    if different:
        text += f"Not quite the paper's: {', '.join(different)}. "
    if any(map(_is_marked, experiment.cells)):
        text += (
            "† marks what the paper reports on the true data set: it cannot be "
            "compared with the number above it."
        )
    return text.rstrip()


def _is_marked(cell: Cell) -> bool:
    cited = cell.reported or cell.dataset.state_of_the_art
    return cited is not None and is_other_data(cell.dataset)


def _work(experiment: Experiment, runs: Runs) -> str:
    """Say how the work of the classifier was reduced, and what it was."""
    classifier = experiment.classifier
    keys = {task.key for task in plan(experiment, runs)}
    made = [runs[key] for key in keys if key in runs]
    n_fits = sum(run.n_fits for run in made)
    n_capped = sum(run.n_capped for run in made)
    n_whole = count_work(experiment).whole_grid
    costs = ", ".join(f"{cost:g}" for cost in classifier.costs)
    text = (
        f"Classifier: support vector machine on the Gram matrix, C from {costs}; "
        f"{classifier.folds}-fold cross-validation over all C on the whole training "
        "part. "
    )
    n_most = max(len(cell.combinations()) for cell in experiment.cells)
    if n_most > classifier.finalists:
        text += (
            "Its work is reduced, for every method the same: where there are more than "
            f"{counted(classifier.finalists, 'combination')} of parameters, all are "
            f"screened on at most {classifier.screen_rows:,} training samples, on one "
            "inner division, with all values of C, and after at most "
            f"{classifier.screen_iterations:,} iterations. In each repetition the "
            f"{classifier.finalists} best of the screening inside the training part go "
            "on to cross-validation; in all repetitions so does the one that was best "
            "on the test parts there, for the test-chosen number alone, which may "
            "therefore fall below the nested one. "
        )
    return text + (
        "In cross-validation and for the test parts the solver stops after "
        f"{classifier.max_iterations:,} iterations for a pair of classes. "
        f"{n_capped:,} of {n_fits:,} fits met a cap; a value of C above one that met "
        "it and was worse than a smaller one is not tried. The whole grid with all C "
        f"and folds would have been {n_whole:,} fits." + _impossible(made)
    )


def _impossible(made: Iterable[Run]) -> str:
    failed = [run for run in made if run.note and run.stage in (SCREEN, FINAL)]
    if not failed:
        return ""
    names = sorted({f"{run.descriptor} on {run.dataset}" for run in failed})
    return (
        f" {counted(len(failed), 'run')} could not be made, because a sample has fewer "
        f"distinct points than words, or the like ({', '.join(names)}); such "
        "combinations are never chosen."
    )


def _times(cells: Cells) -> str:
    """Compare the sums of all times that both have."""
    reported = [
        cell
        for cell in cells.values()
        if (paper := cell.outcome.cell.reported) is not None
        and paper.seconds is not None
    ]
    text = (
        "Seconds: construction of the representation (learning and encoding, or the "
        "matrix of distances) of training and test samples at the chosen parameters, "
        "without classification; median over the repetitions. Bold: the fastest of a "
        "column."
    )
    both = [cell for cell in reported if cell.outcome.is_complete]
    if not both:
        return text
    on_other_data = sum(is_other_data(cell.outcome.cell.dataset) for cell in both)
    aside = f"{on_other_data} of them on other data, †; " if on_other_data else ""
    text += (
        f" Sum over the {counted(len(both), 'cell')} that both have ({aside}the "
        f"machines are not the same): {_sums(both)}"
    )
    rest = [cell for cell in both if cell.outcome.cell.descriptor.make != SLOWEST]
    if 0 < len(rest) < len(both):
        text += f"; without 2-Wasserstein distances {_sums(rest)}"
    missing = [_name(cell) for cell in reported if not cell.outcome.is_complete]
    if missing:
        text += f". Not in the sums: {', '.join(missing)}"
    return text + "."


def _sums(cells: Iterable[Compared]) -> str:
    ours = theirs = 0.0
    for cell in cells:
        paper = cell.outcome.cell.reported
        ours += cell.outcome.seconds or 0.0
        theirs += (paper.seconds or 0.0) if paper is not None else 0.0
    return f"{ours:,.1f} s here, {theirs:,.1f} s in the paper"


def _gaps(cells: Cells) -> str:
    gaps = [
        f"{_name(cell)} ({cell.note or cell.status})"
        for cell in cells.values()
        if not cell.outcome.is_complete
    ]
    if not gaps:
        return ""
    return (
        f"Not complete, and compared with nothing: {', '.join(gaps)}. While "
        "combinations are being screened, the number of runs grows."
    )


def _protocol(dataset: DatasetEntry, n: int) -> str | None:
    if dataset.protocol is not None:
        return dataset.protocol
    # One division may be the data's own, which only their file knows.
    for entry in CATALOG if n > 1 else ():
        if entry.name == dataset.source.get("load"):
            return entry.protocol
    return None


def _name(cell: Compared) -> str:
    of = cell.outcome.cell
    return f"{of.descriptor.title} on {column_title(of.dataset)}"


def _range(values: Iterable[int]) -> str:
    smallest, *_, largest = sorted((*values, *values))
    return f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"


def counted(n: int, noun: str) -> str:
    """Return a number of things, as "1 cell" or "2 cells"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _joined(*paragraphs: str) -> str:
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
