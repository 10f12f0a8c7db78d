import numpy as np
import pytest

from opforge import nd


@pytest.fixture
def values():
    """A matrix with a row of zeros, in NumPy's memory."""
    return np.array([[0, 1.5, 0], [0, 0, 0], [-2, 3, 0], [0.5, 0, 4]], np.float32)


@pytest.fixture(params=["csr", "row_sparse"])
def stype(request):
    return request.param


@pytest.fixture
def make_sparse(values, stype):
    """Return a function that creates an array: pytest would keep an array beyond the test."""
    return lambda: nd.array(values).tostype(stype)
