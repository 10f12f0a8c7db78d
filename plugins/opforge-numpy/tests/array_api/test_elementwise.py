"""Elementwise functions against NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp
from opforge import autograd
from opforge import np as mx_np

POSITIVE = np.asarray([0.1, 0.5, 0.9], dtype="float32")
SPECIAL = np.asarray([-0.0, 0.0, -1.5, 2.5, np.inf, -np.inf, np.nan], dtype="float32")
# fmt: off
FLOATING = [
    "acos", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p",
    "log2", "log10", "reciprocal", "sin", "sinh", "sqrt", "tan", "tanh",
]
ANY = [
    "abs", "ceil", "floor", "isfinite", "isinf", "isnan", "negative", "positive", "round",
    "sign", "square", "trunc",
]
OF_TWO_FLOATS = [
    "add", "atan2", "copysign", "divide", "hypot", "logaddexp", "maximum", "minimum", "multiply",
    "nextafter", "pow", "subtract",
]
OF_TWO_INTEGERS = [
    "add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "equal", "floor_divide", "greater", "greater_equal", "less", "less_equal",
    "maximum", "minimum", "multiply", "not_equal", "pow", "remainder", "subtract",
]
# fmt: on


@pytest.mark.parametrize("name", FLOATING)
def test_functions_of_floats(name: str, agree: Callable[..., None]) -> None:
    agree(name, POSITIVE)
    agree(name, POSITIVE.astype("float64"))
    with pytest.raises(TypeError, match=f"{name}: the array has type int64; expected real"):
        getattr(xp, name)(xp.asarray([1]))


def test_acosh(agree: Callable[..., None]) -> None:
    agree("acosh", POSITIVE + 1)


@pytest.mark.parametrize("name", ANY)
def test_functions_of_numbers(name: str, agree: Callable[..., None]) -> None:
    agree(name, SPECIAL)
    agree(name, np.asarray([-2, 0, 3], dtype="int32"))
    with pytest.raises(TypeError, match="expected numeric"):
        getattr(xp, name)(xp.asarray([True]))


def test_signs_of_zeros_and_nan() -> None:
    x = xp.asarray([-0.0, 0.0, -np.nan, np.nan])
    assert xp.signbit(x).tolist() == np.signbit(x.asnumpy()).tolist()
    assert xp.signbit(xp.round(xp.asarray([-0.0, -0.3]))).tolist() == [True, True]
    zeros = xp.floor_divide(xp.asarray([-0.0, 0.0, 1.0]), xp.asarray([2.0, -2.0, -np.inf]))
    assert xp.signbit(zeros).tolist() == [True, True, True]
    assert np.signbit(mx_np.rint(mx_np.array([-0.0])).asnumpy()).all()


def test_quotients_of_infinities_and_zero() -> None:
    x = xp.asarray([np.inf, -np.inf, 5.0])
    assert xp.floor_divide(x, 2.0).tolist() == [np.inf, -np.inf, 2.0]
    assert np.isnan((x % 0.0).asnumpy()).all()
    assert xp.remainder(xp.asarray([5, -5]), 3).tolist() == [2, 1]


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "atan2",
        "copysign",
        "divide",
        "hypot",
        "logaddexp",
        "maximum",
        "minimum",
        "multiply",
        "nextafter",
        "pow",
        "subtract",
    ],
)
def test_functions_of_two_floats(name: str, agree: Callable[..., None]) -> None:
    agree(name, POSITIVE, POSITIVE[::-1])
    agree(name, POSITIVE, POSITIVE[:, None].astype("float64"))
    agree(name, POSITIVE, 0.5)
    agree(name, 0.5, POSITIVE)


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
        "equal",
        "floor_divide",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "maximum",
        "minimum",
        "multiply",
        "not_equal",
        "pow",
        "remainder",
        "subtract",
    ],
)
def test_functions_of_two_integers(name: str, agree: Callable[..., None]) -> None:
    a, b = np.asarray([5, 7, 9], dtype="int32"), np.asarray([1, 2, 3], dtype="int64")
    agree(name, a, b)
    agree(name, a, 2)
    agree(name, a.astype("uint8"), b.astype("uint8"))
    with pytest.raises(TypeError):
        getattr(xp, name)(xp.asarray(a), xp.asarray([1.5, 2.5, 3.5]))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor", "bitwise_and"])
def test_functions_of_two_booleans(name: str, agree: Callable[..., None]) -> None:
    a, b = np.asarray([True, True, False]), np.asarray([True, False, False])
    agree(name, a, b)
    agree(name, a, True)
    with pytest.raises(TypeError):
        getattr(xp, name)(xp.asarray(a), 1)


def test_functions_of_one_boolean(agree: Callable[..., None]) -> None:
    agree("logical_not", np.asarray([True, False]))
    agree("bitwise_invert", np.asarray([True, False]))
    agree("bitwise_invert", np.asarray([1, -2], dtype="int8"))
    agree("bitwise_invert", np.asarray([0, 255], dtype="uint8"))


def test_parts_of_real_numbers(agree: Callable[..., None]) -> None:
    for name in ("real", "imag", "conj"):
        agree(name, POSITIVE)


@pytest.mark.parametrize(
    ("low", "high"), [(0, None), (None, 2), (0, 2), (np.asarray([0, 1, 2]), 2), (None, None)]
)
def test_clip(low: Any, high: Any, agree: Callable[..., None]) -> None:
    agree("clip", np.asarray([-1, 1, 5]), low, high)
    with pytest.raises(TypeError):
        xp.clip(xp.asarray([1]), xp.asarray([0.5]))


def test_logaddexp_of_infinities(agree: Callable[..., None]) -> None:
    ends = np.asarray([np.inf, -np.inf, 1e30, np.nan], dtype="float32")
    with np.errstate(invalid="ignore"):
        agree("logaddexp", ends, ends[:, None])


def test_gradient_of_logaddexp() -> None:
    x = xp.asarray([0.0, 1.0])
    x.attach_grad()
    with autograd.record():
        y = xp.sum(xp.logaddexp(x, 0.5))
    y.backward()
    values = x.asnumpy()
    np.testing.assert_allclose(
        x.grad.asnumpy(), np.exp(values) / (np.exp(values) + np.exp(0.5)), rtol=1e-6
    )


@pytest.mark.parametrize("name", ["add", "equal"])
def test_operands_must_be_arrays_or_numbers(name: str) -> None:
    with pytest.raises(TypeError, match="expected an array, got"):
        getattr(xp, name)([1], [2])
    with pytest.raises(TypeError):
        getattr(xp, name)(xp.ones(1), [2])
