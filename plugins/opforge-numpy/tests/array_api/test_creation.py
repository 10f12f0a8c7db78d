"""Functions that create arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp
from opforge import np as mx_np
from opforge import npx


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2], "int64"),
        ([[1.5], [2]], "float32"),
        (True, "bool"),
        (np.ones(2, "float64"), "float64"),
        (np.ones(2, "uint8"), "uint8"),
        (2**62 + 1, "int64"),
        ([], "float32"),
        (memoryview(b"ab"), "uint8"),
    ],
)
def test_asarray_chooses_the_type(values: Any, dtype: str) -> None:
    found = xp.asarray(values)
    assert type(found) is xp.Array
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.asnumpy(), np.asarray(values, dtype=dtype))


def test_asarray_copies_as_requested() -> None:
    x = xp.ones(2)
    assert xp.asarray(x) is x
    copied = xp.asarray(x, copy=True)
    copied[0] = 5
    assert float(x[0]) == 1
    assert xp.asarray(mx_np.ones(1)).dtype == xp.float32
    with pytest.raises(ValueError, match="copy is False"):
        xp.asarray(x, dtype=xp.float64, copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        xp.asarray([1], copy=False)
    shared = np.ones(2)
    xp.asarray(shared, copy=False)[0] = 3
    assert shared[0] == 3


@pytest.mark.parametrize("value", [1j, np.ones(1, "complex64"), np.ones(1, "uint16"), "a"])
def test_values_of_other_types_are_rejected(value: Any) -> None:
    with pytest.raises(TypeError):
        xp.asarray(value)


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "dtype"),
    [
        ("arange", (5,), {}, "int64"),
        ("arange", (1, 9, 3), {}, "int64"),
        ("arange", (0, 1, 0.25), {}, "float32"),
        ("arange", (5,), {"dtype": "uint8"}, "uint8"),
        ("arange", (2**60, 2**60 + 3), {}, "int64"),
        ("linspace", (0, 1, 5), {"endpoint": False}, "float32"),
        ("linspace", (0, 4, 5), {"dtype": "float64"}, "float64"),
        ("eye", (2, 3), {"k": 1}, "float32"),
        ("zeros", ((2, 0),), {}, "float32"),
        ("ones", (3,), {"dtype": "bool"}, "bool"),
        ("full", ((), 2**60 + 1), {}, "int64"),
        ("full", ((2,), 1.5), {}, "float32"),
        ("full", (2, False), {}, "bool"),
        ("full_like", (np.ones(2, "int8"), 3), {}, "int8"),
        ("ones_like", (np.ones(2, "int8"),), {"dtype": "float64"}, "float64"),
        ("zeros_like", (np.ones((2, 1)),), {}, "float64"),
    ],
)
def test_filled_arrays(name: str, args: Any, kwargs: Any, dtype: str) -> None:
    given = [xp.asarray(one) if isinstance(one, np.ndarray) else one for one in args]
    found = getattr(xp, name)(*given, **kwargs)
    assert type(found) is xp.Array
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.asnumpy(), getattr(np, name)(*args, **kwargs).astype(dtype))


def test_the_default_type_follows_the_switch() -> None:
    npx.set_np(shape=False, array=False, dtype=True)
    try:
        assert xp.zeros(1).dtype == xp.asarray(1.5).dtype == xp.float64
    finally:
        npx.set_np(shape=False, array=False)


def test_empty_arrays_have_shape_and_type() -> None:
    assert xp.empty((2, 3), dtype=xp.int8).shape == (2, 3)
    assert xp.empty_like(xp.ones(2, dtype=xp.int8)).dtype == xp.int8


def test_meshgrid_and_triangles(agree: Callable[..., None]) -> None:
    agree("meshgrid", np.arange(2), np.arange(3), indexing="ij")
    agree("tril", np.arange(12).reshape(3, 4), k=1)
    agree("triu", np.arange(12).reshape(3, 4), k=-1)
    with pytest.raises(ValueError, match="1 axes; expected at least 2"):
        xp.tril(xp.ones(2))
