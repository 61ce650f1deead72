"""scikit-learn transformers: diagrams in, Gram matrix out; and distances."""

from pbow.kernels.landscape import LandscapeKernel
from pbow.kernels.multiscale import MultiScaleKernel
from pbow.kernels.sliced import SlicedWassersteinKernel
from pbow.kernels.wasserstein import WassersteinKernel

__all__ = [
    "LandscapeKernel",
    "MultiScaleKernel",
    "SlicedWassersteinKernel",
    "WassersteinKernel",
]
