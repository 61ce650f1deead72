"""Converters from the layouts that data sets are published in, one module per release.

A converter takes the release, a folder or a zip, and whether to show a progress bar on
stderr; it returns the arrays of one or more files. What is wrong with the release is a
FileFormatError. The entries of :mod:`pbow.datasets.catalog` name the converters.
"""
