"""Kernels between diagrams: scikit-learn transformers that put out Gram matrices."""
