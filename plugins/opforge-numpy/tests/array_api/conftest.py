"""Comparison of `opforge.array_api` with NumPy, which implements the standard too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp


@pytest.fixture(autouse=True)
def numpy_semantics() -> None:
    """Leave MXNet's semantics on: the standard's do not depend on a switch."""


def converted(value: Any) -> Any:
    """Return a value with all NumPy arrays, also in tuples, as arrays of the standard."""
    if isinstance(value, np.ndarray):
        return xp.asarray(value)
    return type(value)(map(converted, value)) if isinstance(value, tuple | list) else value


def assert_same(found: Any, expected: Any) -> None:
    """Assert that a result has the class of the standard and NumPy's elements, shape and type."""
    if isinstance(expected, tuple | list):
        assert isinstance(found, tuple)
        for pair in zip(found, expected, strict=True):
            assert_same(*pair)
        return
    assert type(found) is xp.Array
    values = found.asnumpy()
    assert (values.shape, values.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture
def agree() -> Callable[..., None]:
    """Compare a function of the standard with NumPy's function on the same arguments."""

    def compare(name: str, *args: Any, **kwargs: Any) -> None:
        ours, theirs = xp, np
        for part in name.split("."):
            ours, theirs = getattr(ours, part), getattr(theirs, part)
        expected: Any = theirs(*args, **kwargs)  # type: ignore[operator]
        options = {key: converted(value) for key, value in kwargs.items()}
        assert_same(ours(*map(converted, args), **options), expected)  # type: ignore[operator]

    return compare
