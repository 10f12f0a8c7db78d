"""Libraries that compute with arrays of the array API standard; ``tox -e clients`` installs them.

SciPy reads `SCIPY_ARRAY_API` when it is imported, so these files are collected only if the variable
is set before pytest starts.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp

collect_ignore_glob = [] if os.environ.get("SCIPY_ARRAY_API") == "1" else ["test_*.py"]


@pytest.fixture
def agree() -> Callable[..., None]:
    """Compare a function of opforge's arrays with the same function of NumPy's arrays."""

    def compare(function: Callable[..., Any], *arrays: np.ndarray, rtol: float = 1e-5) -> None:
        found, expected = function(*map(xp.asarray, arrays)), function(*arrays)
        assert type(found) is xp.Array
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=1e-5)

    return compare
