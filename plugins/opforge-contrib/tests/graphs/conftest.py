"""Graphs as functions, because fixtures that are arrays outlive the check of leaks."""

import numpy as np
import pytest

from opforge import nd


@pytest.fixture
def complete():
    """Five vertices with an edge from each to all others, numbered from 1."""
    edges = np.zeros((5, 5), np.int64)
    edges[~np.eye(5, dtype=bool)] = np.arange(1, 21)
    return lambda: nd.array(edges, dtype="int64").tostype("csr")


@pytest.fixture
def star():
    """Vertex 0 leads to all 9 others, which lead to none."""
    edges = np.zeros((10, 10), np.int64)
    edges[0, 1:] = np.arange(1, 10)
    return lambda: nd.array(edges, dtype="int64").tostype("csr")
