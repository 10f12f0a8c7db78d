"""Element types: kinds, promotion, limits and conversion."""

from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp


def test_only_types_that_exist_are_names() -> None:
    for name in ("int16", "uint16", "uint32", "uint64", "complex64", "complex128"):
        assert not hasattr(xp, name)
    assert xp.float32 == xp.ones(1).dtype


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (("int8", "int32"), "int32"),
        (("uint8", "int32"), "int32"),
        (("uint8", "int64", "int8"), "int64"),
        (("float32", "float64"), "float64"),
        (("int8", 1), "int8"),
        (("float32", 1, 1.5), "float32"),
    ],
)
def test_result_type(types: tuple[Any, ...], expected: str) -> None:
    assert xp.result_type(*types) == expected


@pytest.mark.parametrize(
    "types", [("int32", "float32"), ("bool", "int8"), ("int8", "uint8"), ("int8", 1.5), ("bool", 1)]
)
def test_no_common_type(types: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        xp.result_type(*types)


def test_result_type_needs_an_array_or_a_type() -> None:
    with pytest.raises(ValueError, match="at least one array or dtype"):
        xp.result_type(1, 2.0)


def test_can_cast() -> None:
    assert xp.can_cast(xp.int8, xp.int64)
    assert xp.can_cast(xp.ones(1), xp.float64)
    assert not xp.can_cast(xp.float64, xp.float32)
    assert not xp.can_cast(xp.int32, xp.float64)


def test_isdtype() -> None:
    assert xp.isdtype(xp.uint8, "unsigned integer")
    assert xp.isdtype(np.dtype("float16"), "real floating")
    assert xp.isdtype(xp.bool, ("numeric", "bool"))
    assert not xp.isdtype(xp.float32, "complex floating")
    assert not xp.isdtype(xp.int32, xp.int64)
    with pytest.raises(ValueError, match="kind is 'real'"):
        xp.isdtype(xp.float32, "real")


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_limits_of_floats(name: str) -> None:
    found, expected = xp.finfo(name), np.finfo(name)
    for limit in ("bits", "eps", "max", "min", "smallest_normal", "dtype"):
        assert getattr(found, limit) == getattr(expected, limit)
    with pytest.raises(TypeError, match="int8 is not a floating-point type"):
        xp.finfo(xp.int8)


def test_limits_of_integers() -> None:
    assert xp.iinfo(xp.ones(1, dtype=xp.int8)) == (8, 127, -128, xp.int8)
    with pytest.raises(TypeError, match="float32 is not an integer type"):
        xp.iinfo(xp.float32)


def test_astype() -> None:
    x = xp.asarray([1.5, 0.0])
    assert xp.astype(x, xp.int32).dtype == xp.int32
    assert xp.astype(x, xp.bool)[0]
    assert xp.astype(x, xp.float32, copy=False) is x
    assert xp.astype(x, xp.float32) is not x
    with pytest.raises(TypeError):
        xp.astype(x, "int16")
