"""Elementwise functions and operators against NumPy."""

import inspect
import operator
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_numpy import creation, elementwise
from opforge_numpy.arrays import ndarray
from opforge_numpy.promotion import name_of

from opforge import autograd, nd
from opforge.base.numpy_semantics import np_shape, set_np_default_dtype
from opforge.gluon import nn

SHAPES = ((), (0,), (3,), (2, 0, 3), (2, 3, 4))
FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int32", "int64", "int8", "uint8", "bool")
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}

#: Functions of one array by the range of their arguments.
ANYWHERE = [
    "negative",
    "abs",
    "absolute",
    "fabs",
    "positive",
    "sign",
    "square",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "fix",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "sin",
    "cos",
    "tan",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "degrees",
    "rad2deg",
    "radians",
    "deg2rad",
]
POSITIVE = ["sqrt", "log", "log2", "log10", "log1p", "reciprocal"]
EXACT = [
    "negative",
    "abs",
    "absolute",
    "fabs",
    "positive",
    "sign",
    "square",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "fix",
]
FLOATING = {*ANYWHERE, *POSITIVE} - {*EXACT, "reciprocal"}
INSIDE = ["arcsin", "arccos", "arctanh"]
LOGICAL = ["logical_not", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "floor_divide",
    "mod",
    "remainder",
    "fmod",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "hypot",
    "arctan2",
    "copysign",
]
COMPARISONS = [
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
]
BITWISE = ["bitwise_and", "bitwise_or", "bitwise_xor"]
OPERATORS = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.mod,
    operator.pow,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
    operator.lt,
    operator.le,
)


def sample(shape: Any, dtype: str, low: float = -3.0, high: float = 3.0, seed: int = 0) -> Any:
    values = np.random.default_rng(seed).uniform(low, high, shape)
    if dtype == "uint8":
        values = np.abs(values)
    return np.asarray(np.rint(values) if dtype in INTEGERS else values).astype(dtype)


def array(values: Any) -> Any:
    return creation.array(values)


def assert_close(found: Any, expected: Any) -> None:
    assert type(found) is ndarray
    assert found.shape == np.shape(expected)
    tolerance = TOLERANCE.get(name_of(found), 0)
    np.testing.assert_allclose(
        found.asnumpy().astype("float64"),
        np.asarray(expected).astype("float64"),
        rtol=tolerance,
        atol=tolerance,
    )


def quiet(function: Any, *args: Any) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)


# -- functions of one array ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ANYWHERE, *POSITIVE, *INSIDE, *LOGICAL])
def test_unary_functions_of_floats(name):
    low, high = (0.5, 3) if name in POSITIVE else (-0.9, 0.9) if name in INSIDE else (-3, 3)
    for dtype in FLOATS:
        for shape in SHAPES:
            values = sample(shape, dtype, low, high)
            found = getattr(elementwise, name)(array(values))
            assert name_of(found) == ("bool" if name in LOGICAL else dtype)
            assert_close(found, getattr(np, name)(values))


def test_arccosh(agree):
    agree(elementwise.arccosh, np.arccosh, sample((3,), "float64", 1.5, 4))


@pytest.mark.parametrize("name", [*ANYWHERE, *POSITIVE, *LOGICAL])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_unary_functions_of_integers(name, dtype):
    if dtype == "bool" and name in ("negative", "sign", "reciprocal", "positive"):
        pytest.skip("NumPy rejects bool")
    values = sample((5,), dtype, *((1, 4) if name in POSITIVE else (-3, 3)))
    found = getattr(elementwise, name)(array(values))
    expected = quiet(getattr(np, name), values.astype("float32") if name in FLOATING else values)
    result = "float32" if name in FLOATING else "bool" if name in LOGICAL else dtype
    assert name_of(found) == result
    assert_close(found, expected)


def test_special_values(agree):
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], "float32")
    for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf"):
        agree(getattr(elementwise, name), getattr(np, name), values)
    agree(elementwise.signbit, np.signbit, values[1:])
    agree(elementwise.copysign, np.copysign, np.ones(5, "float32"), values[1:])
    agree(elementwise.fmax, np.fmax, values, np.float32([1, 2, 3, 4, np.nan, np.nan]))
    agree(elementwise.maximum, np.maximum, values, np.float32([1, 2, 3, 4, np.nan, np.nan]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_invert(agree, dtype):
    agree(elementwise.invert, np.invert, sample((4,), dtype))
    agree(lambda x: ~x, np.invert, sample((4,), dtype))


def test_invert_rejects_floats():
    with pytest.raises(TypeError, match="integers and bool, got float32"):
        elementwise.bitwise_not(creation.ones(2))


def test_rounding_is_to_even(agree):
    halves = np.arange(-4.5, 5, 0.5, dtype="float32")
    agree(elementwise.rint, np.rint, halves)
    agree(elementwise.around, np.around, halves)
    agree(elementwise.round, np.round, np.array([1.234, 5.678]), 1)
    agree(elementwise.round_, np.round, np.array([1234.0, 5678.0]), decimals=-2)
    agree(elementwise.around, np.around, np.array([15, 25, 34], "int32"), -1)
    agree(elementwise.around, np.around, np.array([15, 25], "int64"), 2)


def test_functions_have_signatures_and_documentation():
    for name in ("exp", "add", "less", "isnan"):
        function = getattr(elementwise, name)
        assert function.__name__ == name
        assert "Parameters" in function.__doc__
        assert "out" in inspect.signature(function).parameters
    assert "operate" not in elementwise.__all__


# -- functions of two arrays --------------------------------------------------------------------


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_binary_functions_of_floats(name):
    for dtype in FLOATS:
        for shape in SHAPES:
            left, right = sample(shape, dtype), sample(shape, dtype, 0.5, 3, seed=1)
            found = getattr(elementwise, name)(array(left), array(right))
            assert name_of(found) == ("bool" if name in COMPARISONS else dtype)
            assert_close(found, getattr(np, name)(left, right))


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS, *BITWISE])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_binary_functions_of_integers(name, dtype):
    if dtype == "bool" and name in ("subtract", "mod", "remainder", "fmod", "floor_divide"):
        pytest.skip("no meaning for bool, or another type than NumPy's")
    left, right = sample((6,), dtype), np.maximum(sample((6,), dtype, 1, 4, 1), 1).astype(dtype)
    found = getattr(elementwise, name)(array(left), array(right))
    expected = getattr(np, name)(left, right)
    if expected.dtype.kind == "f":
        assert name_of(found) == "float32"
        expected = getattr(np, name)(left.astype("float32"), right.astype("float32"))
    else:
        assert name_of(found) == str(expected.dtype)
    assert_close(found, expected)


@pytest.mark.parametrize("name", ["lcm", "gcd", "left_shift", "right_shift"])
def test_integer_functions(agree, name):
    left, right = sample((2, 3), "int32", 1, 6), sample((3,), "int32", 1, 6, 1)
    agree(getattr(elementwise, name), getattr(np, name), left, right)
    agree(getattr(elementwise, name), getattr(np, name), left, 2)
    with pytest.raises(TypeError):
        getattr(elementwise, name)(creation.ones(2), 2)


shapes = st.sampled_from(
    [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((0, 3), (3,)), ((4, 1, 2), (3, 1))]
)
types = st.sampled_from([*FLOATS, *INTEGERS])


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(["add", "multiply", "maximum", "minimum", *COMPARISONS]),
    shape=shapes,
    left=types,
    right=types,
    seed=st.integers(0, 1000),
)
def test_promotion_and_broadcasting(name, shape, left, right, seed):
    with np_shape():
        a, b = sample(shape[0], left, seed=seed), sample(shape[1], right, seed=seed + 1)
        found = getattr(elementwise, name)(array(a), array(b))
        if name in COMPARISONS:
            assert name_of(found) == "bool"
        else:
            assert name_of(found) == common(left, right)
            a, b = a.astype(common(left, right)), b.astype(common(left, right))
        assert_close(found, quiet(getattr(np, name), a, b))


def common(left: str, right: str) -> str:
    """Return the type to which MXNet promotes two types."""
    floats = [name for name in (left, right) if name in FLOATS]
    if len(floats) == 1:
        return floats[0]
    return {"int16": "int32"}.get(
        str(np.result_type(left, right)), str(np.result_type(left, right))
    )


@settings(max_examples=100, deadline=None)
@given(
    op=st.sampled_from(OPERATORS),
    dtype=types,
    number=st.sampled_from([2, 3, 2.5, 1.0, np.float32(1.5), np.int64(2)]),
    reverse=st.booleans(),
)
def test_operators_with_numbers(op, dtype, number, reverse):
    with np_shape():
        values = np.maximum(sample((4,), dtype, 1, 4), 1).astype(dtype)
        x = array(values)
        # NumPy's scalars on the left call NumPy's functions first.
        if reverse and isinstance(number, np.generic):
            number = number.item()
        found = op(number, x) if reverse else op(x, number)
        plain = float(number)
        wide = values.astype("float64")
        expected = quiet(op, plain, wide) if reverse else quiet(op, wide, plain)
        if op in OPERATORS[6:]:
            assert name_of(found) == "bool"
        elif dtype in FLOATS:
            assert name_of(found) == dtype
        elif op is operator.truediv or isinstance(number, float | np.floating):
            assert name_of(found) == "float32"
        else:
            assert name_of(found) == ("int64" if dtype == "bool" else dtype)
        if name_of(found) in INTEGERS:
            expected = np.asarray(expected).astype("int64").astype(name_of(found))  # may wrap
        np.testing.assert_allclose(
            found.asnumpy().astype("float64"), expected, rtol=5e-3 if dtype == "float16" else 1e-5
        )


@pytest.mark.parametrize("dtype", INTEGERS)
def test_comparisons_with_numbers_out_of_range(dtype):
    values = np.array([0, 1, 1, 0]).astype(dtype)
    x = array(values)
    for number in (-1, 257, 2**40, 1.5, -0.5, np.inf, -np.inf, np.nan):
        for op in OPERATORS[6:]:
            assert_close(op(x, number), op(values.astype("float64"), number))


def test_default_type_of_numpy():
    x = creation.ones(2, dtype="int32")
    before = set_np_default_dtype(True)
    try:
        assert name_of(x / 2) == name_of(x * 2.5) == name_of(elementwise.exp(x)) == "float64"
        assert name_of(elementwise.where(x > 0, 1, 2)) == "int64"
    finally:
        set_np_default_dtype(before)


def test_large_integers_are_exact():
    x = creation.full((1,), 1, dtype="int64")
    assert (x + 2**53).asnumpy().tolist() == [2**53 + 1]
    assert (x * (2**60 + 1)).asnumpy().tolist() == [2**60 + 1]
    assert (x == 2**60 + 1).asnumpy().tolist() == [False]


def test_numbers_go_to_numpy():
    assert elementwise.add(1, 2) == 3
    assert isinstance(elementwise.exp(1), np.float64)
    assert elementwise.maximum(1, 2.5) == 2.5
    assert not elementwise.logical_not(True)
    assert elementwise.clip(5, 1, 3) == 3
    assert elementwise.around(1.26, 1) == 1.3
    assert elementwise.nan_to_num(np.nan) == 0


@pytest.mark.parametrize("other", [[1, 2], (1, 2), "x", 1j, np.ones(2)])
def test_other_operands_are_rejected(other):
    x = creation.ones(2)
    for function in (elementwise.add, elementwise.equal, elementwise.maximum):
        with pytest.raises(TypeError, match="not supported"):
            function(x, other)
    with pytest.raises(TypeError, match="not supported"):
        elementwise.exp(other)


def test_difference_of_bool_is_rejected():
    x = creation.ones(2, dtype="bool")
    with pytest.raises(TypeError, match="logical_xor"):
        x - x


# -- out, keywords, in-place operations ----------------------------------------------------------


def test_out():
    x = creation.arange(3)
    out = creation.zeros(3, dtype="float64")
    assert elementwise.exp(x, out=out) is out
    np.testing.assert_allclose(out.asnumpy(), np.exp(np.arange(3)), rtol=1e-6)
    assert elementwise.add(x, 1, out=(x,)) is x
    assert x.asnumpy().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="shape"):
        elementwise.add(x, 1, out=creation.zeros(4))
    with pytest.raises(TypeError, match="cannot hold"):
        elementwise.add(x, 1, out=creation.zeros(3, dtype="int32"))
    with pytest.raises(TypeError, match="must be an array"):
        elementwise.add(x, 1, out=np.zeros(3))


def test_gradient_through_out():
    x = creation.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        out = creation.zeros(2)
        elementwise.square(x, out=out)
        y = out * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [6, 12]


def test_keywords():
    x = creation.ones(2)
    assert elementwise.add(x, x, where=True, dtype=None, casting="same_kind").shape == (2,)
    with pytest.raises(NotImplementedError, match="where=False"):
        elementwise.exp(x, where=False)
    with pytest.raises(NotImplementedError, match="dtype"):
        elementwise.add(x, x, dtype="float64")
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        elementwise.add(x, x, foo=1)


def test_wrong_keywords():
    x = creation.ones(2)
    for wrong in ({"dtype": "abc"}, {"casting": "mine"}, {"unknown": 1}):
        with pytest.raises(TypeError):
            elementwise.exp(x, **wrong)
        with pytest.raises(TypeError):
            elementwise.add(x, x, **wrong)
    with pytest.raises(TypeError, match="out has type float32; expected bool"):
        elementwise.isnan(x, out=creation.ones(2))


def test_formats_are_for_one_number():
    assert f"{creation.array(1.5):.3f}" == "1.500"
    assert f"{creation.ones(1)}" == "[1.]"
    with pytest.raises(TypeError, match="for one number"):
        f"{creation.ones(1):.3f}"


def test_other_orders_are_rejected():
    for method in (creation.ones(2).copy, creation.ones(2).flatten):
        with pytest.raises(NotImplementedError, match="only 'C' is supported"):
            method(order="F")


def test_in_place_operations():
    x = creation.ones(3, dtype="int32")
    view = x
    x += 2
    x *= creation.full(3, 3, dtype="int32")
    x -= 1.5  # truncated, as in MXNet
    assert x is view
    assert x.asnumpy().tolist() == [7, 7, 7]
    with pytest.raises(TypeError, match="cannot hold"):
        x /= 2
    with pytest.raises(TypeError, match="cannot hold"):
        x += creation.ones(3)
    y = creation.ones(3)
    y += x
    assert y.asnumpy().tolist() == [8, 8, 8]


# -- further functions ---------------------------------------------------------------------------


def test_clip(agree):
    for dtype in ("float32", "float64", "int32", "uint8", "int64"):
        values = sample((2, 3), dtype)
        for bounds in ((0, 2), (None, 1), (1, None), (-5, 500)):
            found = elementwise.clip(array(values), *bounds)
            assert name_of(found) == dtype
            assert_close(found, np.clip(values.astype("float64"), *bounds))
    values = sample((2, 3), "float32")
    agree(elementwise.clip, np.clip, values, np.float32([-1, 0, 1]), np.float32(1.5))
    with pytest.raises(ValueError, match="at least one"):
        elementwise.clip(array(values), None, None)


def test_nan_to_num(agree):
    values = np.array([np.nan, np.inf, -np.inf, 2.0])
    agree(elementwise.nan_to_num, np.nan_to_num, values)
    agree(elementwise.nan_to_num, np.nan_to_num, values, nan=1, posinf=2, neginf=3)
    agree(elementwise.nan_to_num, np.nan_to_num, np.arange(3))
    x = array(values)
    assert elementwise.nan_to_num(x, copy=False) is x
    assert np.isfinite(x.asnumpy()).all()
    x = array(values)
    x.attach_grad()
    with autograd.record():
        y = elementwise.nan_to_num(x, copy=False)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [0, 0, 0, 1])
    np.testing.assert_array_equal(x.asnumpy(), values)


def test_where(agree):
    matrix, row = sample((2, 3), "float32"), sample((3,), "float32", seed=1)
    for condition in (matrix > 0, row > 0, matrix, np.array(True)):
        agree(elementwise.where, np.where, condition, matrix, row)
        agree(elementwise.where, np.where, condition, matrix, matrix)
    agree(elementwise.where, np.where, matrix > 0, 2, row, types=False)
    agree(elementwise.where, np.where, row > 0, matrix, 0, types=False)
    agree(elementwise.where, np.where, row > 0, 1, 2.5, types=False)
    agree(elementwise.where, np.where, row > 0, sample((3,), "int32"), 7)
    agree(elementwise.where, np.where, row > 0, row > 1, False)
    agree(elementwise.where, np.where, np.zeros((0, 3)), np.ones(3), 1.0)
    agree(elementwise.where, np.where, matrix > 0)
    assert name_of(elementwise.where(array(row > 0), array(row), creation.ones(3, "int8"))) == (
        "float32"
    )
    with pytest.raises(ValueError, match="both"):
        elementwise.where(array(row > 0), array(row))


# -- gradients -----------------------------------------------------------------------------------

SMOOTH = [
    "negative",
    "abs",
    "square",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "sin",
    "cos",
    "tan",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "degrees",
    "radians",
    "sqrt",
    "log",
    "log2",
    "log10",
    "log1p",
    "reciprocal",
    "arcsin",
    "arccos",
    "arctanh",
]


@pytest.mark.parametrize("name", SMOOTH)
def test_unary_gradients(check_gradient, name):
    check_gradient(getattr(elementwise, name), sample((2, 3), "float64", 0.2, 0.9))


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "mod",
        "power",
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "hypot",
        "arctan2",
        "copysign",
        "fmod",
        "ldexp",
    ],
)
def test_binary_gradients(check_gradient, name):
    left, right = sample((2, 3), "float64", 2.1, 2.9), sample((3,), "float64", 1.1, 1.9, 1)
    function = getattr(elementwise, name)
    check_gradient(function, left, right)
    check_gradient(lambda x: function(x, 1.7), left)
    check_gradient(lambda x: function(1.7, x), left)


def test_further_gradients(check_gradient):
    values, other = sample((2, 3), "float64"), sample((3,), "float64", seed=3)
    check_gradient(lambda x: elementwise.clip(x, -1, 1), values)
    check_gradient(lambda x, y: elementwise.where(x > 0, x, y), values, other)
    check_gradient(lambda x: elementwise.where(x > 0, x * x, 1.0), values)
    check_gradient(lambda x: elementwise.nan_to_num(x), values)
    check_gradient(lambda x: elementwise.around(x, 1) * x, values)


def test_gradients_pass_promotion():
    x = creation.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = x * creation.array([2.0, 3.0], dtype="float64") + creation.ones(2, dtype="int32")
    y.backward()
    assert name_of(x.grad) == "float32"
    assert x.grad.asnumpy().tolist() == [2, 3]


@pytest.mark.parametrize("name", [*SMOOTH, *LOGICAL, "rint", "around", "nan_to_num"])
def test_unary_functions_of_symbols(name):
    assert_same_in_graph(lambda F, x: getattr(F.np, name)(x), sample((2, 3), "float64", 0.2, 0.9))


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS, "ldexp"])
def test_binary_functions_of_symbols(name):
    values, row = sample((2, 3), "float64"), sample((3,), "float64", 0.5, 3, 1)
    assert_same_in_graph(lambda F, x, y: getattr(F.np, name)(x, y), values, row)
    assert_same_in_graph(lambda F, x: getattr(F.np, name)(x, 2.5), values)
    assert_same_in_graph(lambda F, x: getattr(F.np, name)(2.5, x), values)


def test_further_functions_of_symbols():
    values, row = sample((2, 3), "float64"), sample((3,), "float64", seed=1)
    assert_same_in_graph(lambda F, x: F.np.clip(x, None, 1), values)
    assert_same_in_graph(lambda F, x, y: F.np.where(F.np.greater(x, 0), x, y), values, row)
    assert_same_in_graph(lambda F, x: F.np.where(x, 2, x), values)


def assert_same_in_graph(function: Any, *values: Any) -> None:
    """Assert that a hybrid block returns the same imperatively and as a graph."""
    block = nn.HybridLambda(function)
    arrays = [array(value) for value in values]
    expected = block(*arrays)
    block.hybridize()
    found = block(*arrays)
    assert name_of(found) == name_of(expected)
    assert_close(found, expected.asnumpy())


def test_arrays_of_nd_are_accepted():
    result = elementwise.exp(nd.zeros((2,)))
    assert type(result) is ndarray


# -- comparisons by Python's operators ----------------------------------------------------------

PYTHON_COMPARISONS = (operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le)
#: Equal shapes and broadcast ones, below and above the sizes of a tile and of work for one thread.
PAIRS = (
    ((), ()),
    ((0,), (0,)),
    ((5,), ()),
    ((700,), (700,)),
    ((40_000,), (40_000,)),
    ((3, 1), (1, 4)),
    ((300, 1), (300, 200)),
    ((200, 300), (300,)),
    ((2, 0, 3), (3,)),
)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8"])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_comparisons_of_arrays_are_bool(left: Any, right: Any, dtype: str, agree: Any) -> None:
    random = np.random.default_rng(0)
    a, b = (random.integers(0, 4, shape).astype(dtype) for shape in (left, right))
    if np.dtype(dtype).kind == "f" and a.size:
        a[..., None][0] = np.nan
    for compare in PYTHON_COMPARISONS:
        agree(compare, compare, a, b)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "int8"])
@pytest.mark.parametrize("number", [0, 2, 127, -1, 128])
def test_comparisons_with_numbers_are_bool(number: int, dtype: str, agree: Any) -> None:
    x = np.random.default_rng(0).integers(-4, 4, (900,)).astype(dtype)
    if number != 128 or dtype != "int8":  # which NumPy rejects
        for compare in PYTHON_COMPARISONS:
            agree(compare, compare, x, number)


def test_comparisons_of_recorded_arrays() -> None:
    x = creation.array([1.0, -2.0])
    x.attach_grad()
    with autograd.record():
        y = x * (x > 0) + (x * 2 >= x).astype("float32")
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [1.0, 0.0])


# -- remainders ---------------------------------------------------------------------------------

DIVIDENDS = [0.0, -0.0, 1.0, -1.0, 5.0, -5.0, 2.5, np.inf, -np.inf, np.nan]
REMAINDERS = ["mod", "remainder", "fmod", "floor_divide"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize("name", REMAINDERS)
def test_remainders_of_all_kinds_of_numbers(name: str, dtype: str, agree: Any) -> None:
    if np.dtype(dtype).kind == "f":
        a, b = np.meshgrid(np.array(DIVIDENDS, dtype), np.array(DIVIDENDS, dtype))
    else:
        a, b = np.array([5, 3, 0, 7], dtype), np.array([0, 2, 0, 5], dtype)
    with np.errstate(all="ignore"):
        agree(getattr(elementwise, name), getattr(np, name), a, b)
        agree(getattr(elementwise, name), getattr(np, name), a, b[:1])


@pytest.mark.parametrize("number", [0, 0.0, 2, -2.5])
def test_remainders_with_numbers(number: float, agree: Any) -> None:
    x = np.array([1.0, -1.0, 0.0, 3.5], "float32")
    with np.errstate(all="ignore"):
        for op in (operator.mod, operator.floordiv):
            agree(op, op, x, number)
            agree(lambda x, op=op: op(number, x), lambda x, op=op: op(np.float32(number), x), x)
        agree(lambda x: operator.imod(x + 0, number), lambda x: operator.imod(x + 0, number), x)


def test_remainders_by_zero_in_graphs() -> None:
    class Remainder(nn.HybridBlock):
        def hybrid_forward(self, F: Any, a: Any, b: Any) -> Any:
            return F.np.mod(a, b)

    net = Remainder()
    a, b = creation.array([1.0, 5.0, -5.0]), creation.array([0.0, 3.0, 3.0])
    for _ in range(2):
        np.testing.assert_array_equal(net(a, b).asnumpy(), [np.nan, 2.0, 1.0])
        net.hybridize()
    whole = net(a.astype("int32"), b.astype("int32"))
    np.testing.assert_array_equal(whole.asnumpy(), [0, 2, 1])


def test_gradients_of_remainders() -> None:
    a, b = creation.array([7.0, -7.0]), creation.array([2.0, 0.0])
    a.attach_grad()
    with autograd.record():
        y = a % b
    y.backward()
    assert a.grad.asnumpy()[0] == 1.0
