"""The array class: attributes, indexing and operators."""

import operator
from typing import Any

import numpy as np
import pytest

import opforge as mx
from opforge import array_api as xp
from opforge import autograd, nd

X = np.arange(24).reshape(2, 3, 4)
KEYS = [
    (0, 0, 0),
    (1, slice(None, None, -1)),
    (..., None, 1),
    None,
    slice(5, None),
    X > 7,
    X[0, 0, :2] % 2,
    (X[0, 0, :2] % 2, X[0, 0, :2] % 3),
    np.asarray(True),
    np.asarray(False),
]


def ours(key: Any) -> Any:
    """Return a key with NumPy arrays as arrays of the standard."""
    if isinstance(key, tuple):
        return tuple(map(ours, key))
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", KEYS)
def test_reads_as_numpy(key: Any) -> None:
    found = xp.asarray(X)[ours(key)]
    assert type(found) is xp.Array
    np.testing.assert_array_equal(found.asnumpy(), X[key])


@pytest.mark.parametrize("key", KEYS)
def test_writes_as_numpy(key: Any) -> None:
    found, expected = xp.asarray(X), X.copy()
    found[ours(key)], expected[key] = 5, 5
    np.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize("key", [None, ..., (), (None, ...), (...,), (None, None)])
def test_keys_of_an_array_without_axes(key: Any) -> None:
    x, n = xp.asarray(3), np.asarray(3)
    assert x[key].shape == n[key].shape
    x[key] = 4
    assert int(x) == 4


def test_mask_of_an_array_without_axes() -> None:
    x = xp.asarray(3)
    assert x[xp.asarray(True)].shape == (1,)
    assert x[xp.asarray(False)].shape == (0,)
    x[xp.asarray(False)] = 5
    assert int(x) == 3
    x[xp.asarray(True)] = 5
    assert int(x) == 5


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.pow,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_operators_of_integers(op: Any) -> None:
    a, b = np.asarray([5, 7, 9], dtype="int32"), np.asarray([1, 2, 3], dtype="int64")
    for left, right in ((a, b), (a, 2), (2, b)):
        found = op(ours(left), ours(right))
        expected = op(left, right)
        assert type(found) is xp.Array
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize("op", OPERATORS[:3], ids=lambda op: op.__name__)
def test_kinds_are_not_mixed(op: Any) -> None:
    whole, part, fact = xp.asarray([1]), xp.asarray([1.5]), xp.asarray([True])
    for left, right in ((whole, part), (whole, 1.5), (fact, whole), (fact, 1), (whole, True)):
        with pytest.raises(TypeError):
            op(left, right)
    assert op(part, 1).dtype == xp.float32


def test_numbers_out_of_range_are_rejected() -> None:
    with pytest.raises(OverflowError, match="300 is not a value of uint8"):
        xp.asarray([1], dtype=xp.uint8) + 300


def test_division_of_integers_is_rejected() -> None:
    with pytest.raises(TypeError, match="int64; expected real floating"):
        xp.asarray([1]) / xp.asarray([2])


def test_int8_and_uint8_have_no_common_type() -> None:
    with pytest.raises(TypeError, match="int16, which opforge lacks"):
        xp.ones(1, dtype=xp.int8) + xp.ones(1, dtype=xp.uint8)


def test_large_integers_are_exact() -> None:
    large = 2**60 + 1
    assert int(xp.asarray([0]) + large) == large
    assert bool(xp.asarray([large]) == large)
    assert not bool(xp.asarray([large]) == large - 1)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "ifloordiv", "iand", "ilshift"])
def test_in_place_operators_keep_memory_and_type(name: str) -> None:
    x = xp.asarray([5, 6], dtype=xp.int32)
    same, n = x, np.asarray([5, 6], dtype="int32")
    x = getattr(operator, name)(x, 2)
    assert x is same
    np.testing.assert_array_equal(x.asnumpy(), getattr(operator, name)(n, 2))
    with pytest.raises(TypeError, match="cannot hold"):
        getattr(operator, name)(x, xp.asarray([1, 1]))


def test_unary_operators_and_conversions() -> None:
    x = xp.asarray(-3)
    assert [int(y) for y in (+x, -x, abs(x), ~x)] == [-3, 3, 3, 2]
    assert (int(x), float(x), complex(x), bool(x), operator.index(x)) == (-3, -3.0, -3, True, -3)


def test_comparison_with_other_objects() -> None:
    assert (xp.asarray(1) == None) is False  # noqa: E711
    with pytest.raises(TypeError):
        xp.asarray(1) + "a"  # type: ignore[operator]


def test_matrices() -> None:
    x = xp.reshape(xp.arange(6), (1, 2, 3))
    assert (x @ x.mT).shape == (1, 2, 2)
    assert x[0, :, :].T.shape == (3, 2)
    with pytest.raises(ValueError, match="3 axes; expected 2"):
        _ = x.T


def test_namespace_of_versions() -> None:
    x = xp.ones(1)
    for version in (None, "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match=r"'2030\.12' of the array API standard is not supported"):
        x.__array_namespace__(api_version="2030.12")


def test_arrays_of_np_have_the_namespace_too() -> None:
    x = mx.np.ones(3)
    assert x.__array_namespace__() is xp
    y = xp.add(x, 1)
    assert type(y) is xp.Array
    assert type(x) is mx.np.ndarray


def test_devices() -> None:
    x = xp.ones(2, device="cpu")
    assert x.device == mx.cpu()
    assert x.to_device(mx.cpu()) is x
    assert x.to_device(mx.cpu(1)).device == mx.cpu(1)
    with pytest.raises(ValueError, match="no streams"):
        x.to_device(mx.cpu(), stream=1)


def test_gradients_flow_between_classes() -> None:
    x = nd.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with autograd.record():
        y = xp.asarray(x)
        z = xp.sum(xp.cumulative_prod(y) * y[0]) + xp.mean(xp.sign(y) * y)
    z.backward()
    # z = x0^2 + x0^2 x1 + x0^2 x1 x2 + mean(x)
    np.testing.assert_allclose(x.grad.asnumpy(), [2 + 4 + 12 + 1 / 3, 1 + 3 + 1 / 3, 2 + 1 / 3])


def test_dlpack_shares_memory() -> None:
    x = xp.zeros(3)
    np.from_dlpack(x)[0] = 7  # type: ignore[arg-type]
    assert float(x[0]) == 7
    y = xp.from_dlpack(np.ones(2), copy=False)
    assert y.dtype == xp.float64
    with pytest.raises(BufferError):
        xp.from_dlpack(np.ones(4)[::2], copy=False)
