"""Descriptors by the names that the command line has for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from pbow.cli.sizes import check_parameters

__all__ = ["KERNELS", "VECTORIZERS", "make_descriptors"]

# Classes of pbow.vectorizers and pbow.kernels, for which `pbow --help` does not wait.
VECTORIZERS = {
    "pbow": "PersistenceBoW",
    "spbow": "StablePersistenceBoW",
    "image": "PersistenceImage",
    "landscape": "PersistenceLandscape",
    "riemannian": "RiemannianHeatMap",
    "statistics": "PersistenceStatistics",
}
KERNELS = {
    "swk": "SlicedWassersteinKernel",
    "multiscale": "MultiScaleKernel",
    "landscape-kernel": "LandscapeKernel",
    "wasserstein": "WassersteinKernel",
}


def make_descriptors(
    names: Sequence[str],
    settings: Mapping[str, Any],
    *,
    words: int | None,
    seed: int,
    n_jobs: int,
) -> dict[str, Any]:
    """Return descriptors that are not fitted yet, by name.

    Parameters
    ----------
    names : sequence of str
        Of VECTORIZERS and KERNELS.
    settings : mapping
        Parameters. Each is set where a descriptor has it; one must.
    words : int or None
        Of those that have words; None for their default.
    seed, n_jobs : int
        Of those that draw anything, and of all.
    """
    from pbow import kernels, vectorizers  # noqa: PLC0415

    makers = {name: getattr(vectorizers, cls) for name, cls in VECTORIZERS.items()}
    makers |= {name: getattr(kernels, cls) for name, cls in KERNELS.items()}
    made = {name: makers[name]() for name in names}
    known = {name: descriptor.get_params() for name, descriptor in made.items()}
    asked = dict(settings) if words is None else {**settings, "n_words": words}
    for parameter in asked:
        if not any(parameter in parameters for parameters in known.values()):
            listed = sorted({p for parameters in known.values() for p in parameters})
            verb = "has" if len(made) == 1 else "have"
            msg = (
                f"{' and '.join(made)} {verb} no parameter {parameter}; known are "
                f"{', '.join(listed)}."
            )
            raise click.UsageError(msg)
    wanted = {"random_state": seed, "n_jobs": n_jobs, **asked}
    for name, descriptor in made.items():
        descriptor.set_params(
            **{p: value for p, value in wanted.items() if p in known[name]}
        )
        check_parameters(name, descriptor.get_params())
    return made
