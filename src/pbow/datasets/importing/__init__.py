"""Converters from the layouts that data sets are published in, one module per release.

A converter takes the release and whether to show progress, and returns the arrays of
one or more files. The entries of :mod:`pbow.datasets.catalog` name the converters.
"""
