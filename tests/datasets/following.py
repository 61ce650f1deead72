"""Follow a recipe on arrays that are checked as those of a file."""

import numpy as np

from pbow.datasets.sources import Generated


class Arrays(Generated):
    """Arrays that are checked as those of a file."""

    def read(self, name, kinds, n_dims):
        array = np.asarray(super().read(name, kinds, n_dims))
        assert array.dtype.kind in kinds
        assert array.ndim == n_dims
        return array


def source_of(arrays, others=None):
    """Arrays, and those of other files by stem."""
    return Arrays(arrays, {stem: Arrays(o) for stem, o in (others or {}).items()})


def make(recipe, arrays, seed=0, others=None, **options):
    options = {"n_jobs": 1, "progress": False, **options}
    return recipe.make(source_of(arrays, others), seed, **options)


def samples(recipe, arrays, seed=0):
    return recipe.samples(source_of(arrays), seed)


def samples_and_diagrams(recipe, arrays, others=None):
    return samples(recipe, arrays), make(recipe, arrays, others=others)
