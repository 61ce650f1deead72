"""What each loop is to make of awkward diagrams, in exact arithmetic.

A check draws inputs of one kind at one scale, calls a loop, and returns its largest
error: the difference from the sentence that defines it, divided by the size that the
check states. Sentences are evaluated in fractions or in long decimals, so that they
neither overflow nor vanish; where a loop may only compare and choose, its error is the
share of wrong choices.
"""

from tests.compute.awkward_distances import (
    bottlenecks,
    flows,
    landscape_distances,
    landscape_products,
    landscape_samples,
    matchings,
    scale_space,
    slices,
)
from tests.compute.awkward_graphs import extended, farthest_first, paths, sublevels
from tests.compute.awkward_mixtures import (
    clusters,
    gradients,
    likelihoods,
    posteriors,
    rounds,
    soft_residuals,
)
from tests.compute.awkward_vectors import (
    bins,
    copies,
    distinct,
    extents,
    halves,
    heat_maps,
    images,
    normalizations,
    statistics,
    sums,
)
from tests.compute.awkward_words import counts, nearest_words, ramps, residuals

__all__ = ["CHECKS"]

# What is checked, and the largest error that is allowed.
CHECKS = {
    nearest_words: 0.0,
    counts: 1e-14,
    residuals: 1e-11,
    ramps: 1e-15,
    likelihoods: 1e-11,
    posteriors: 1e-9,
    soft_residuals: 1e-9,
    gradients: 1e-9,
    rounds: 1e-9,
    clusters: 1e-14,
    matchings: 1e-12,
    flows: 1e-12,
    bottlenecks: 1e-14,
    slices: 1e-13,
    landscape_distances: 1e-12,
    landscape_products: 1e-14,
    landscape_samples: 0.0,
    scale_space: 1e-12,
    statistics: 1e-12,
    images: 1e-14,
    extents: 0.0,
    heat_maps: 1e-10,
    normalizations: 1e-14,
    sums: 1e-14,
    halves: 1e-14,
    distinct: 0.0,
    bins: 0.0,
    copies: 0.0,
    farthest_first: 1e-14,
    paths: 1e-14,
    sublevels: 0.0,
    extended: 0.0,
}
