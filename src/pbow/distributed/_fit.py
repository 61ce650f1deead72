"""Fit a vectorizer to blocks, on any executor."""

from __future__ import annotations

from typing import Any, TypeVar

from pbow.distributed._jobs import check_executor
from pbow.io.scanning import scan_diagrams
from pbow.vectorizers.points import PointVectorizer

__all__ = ["fit"]

Vectorizer = TypeVar("Vectorizer", bound=PointVectorizer)


def fit(vectorizer: Vectorizer, blocks: Any, *, executor: Any = None) -> Vectorizer:
    """Fit a vectorizer to diagrams that are read block after block.

    A bad diagram is an error, never left out: a model does not tell that some of its
    training data were missing. Repair the file that the error names, or leave it out of
    the list of files.

    Parameters
    ----------
    vectorizer : PersistenceBoW or another that learns from points
        What is fitted.
    blocks : DiagramBlocks, or what :func:`pbow.io.scan_diagrams` takes
        Training diagrams: a folder of Parquet files, a pattern, a list of files.
    executor : concurrent.futures.Executor, optional
        Runs the tasks. By default they run in this process.

    Returns
    -------
    vectorizer : object
        The same, fitted: equal to ``vectorizer.fit`` on all diagrams in memory.

    Raises
    ------
    ValueError
        If the vectorizer does not learn from points, or a diagram is bad; its file and
        row are named.
    concurrent.futures.BrokenExecutor
        If a process of a pool was killed; make a new one, and call again.

    Examples
    --------
    >>> import pbow
    >>> from pbow import distributed
    >>> blocks = [[[[0.0, 1.0], [0.0, 3.0]]], [[[1.0, 2.0]]]]
    >>> model = distributed.fit(pbow.PersistenceBoW(2, random_state=0), blocks)
    >>> model.n_features_out_
    2
    """
    if not isinstance(vectorizer, PointVectorizer):
        msg = (
            "Expected a vectorizer that learns from points, such as PersistenceBoW; "
            f"got {type(vectorizer).__name__}. Map earlier steps over the blocks, as "
            "in blocks.map(step.transform); fit anything else to a sample of the "
            "diagrams in memory, and transform the blocks."
        )
        raise ValueError(msg)
    scanned = scan_diagrams(blocks)
    if check_executor(executor) is not None:
        scanned = scanned.on(executor)
    return vectorizer.fit(scanned)
