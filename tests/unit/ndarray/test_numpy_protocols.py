import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from opforge import autograd, nd
from opforge.base.errors import DTypeError

X = np.array([[1.5, 2, -3], [4, 0.25, 6]], "float32")


def alike(found, wanted, rtol=1e-6):
    assert isinstance(found, nd.NDArray)
    np.testing.assert_allclose(found.asnumpy(), np.atleast_1d(wanted), rtol=rtol)


def test_arithmetic_with_numpys_arrays_on_either_side(binary_operator):
    a, b = np.abs(X), np.array([2.0, 0.5, 6.0])
    alike(binary_operator(nd.array(a), b), binary_operator(a, b))
    alike(binary_operator(b, nd.array(a)), binary_operator(b, a))
    assert binary_operator(b, nd.array(a)).dtype is np.float32


@given(st.data())
def test_shapes_broadcast(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2)).input_shapes
    a, b = (np.random.default_rng(0).integers(1, 9, shape).astype("float32") for shape in shapes)
    x = nd.array(a)
    for found, wanted in ((x - b, a - b), (b - x, b - a), (x + b.T.T, a + b)):
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found.asnumpy(), wanted)


@pytest.mark.parametrize(
    "own, other, fits",
    [
        ("float32", "float64", True),
        ("float16", "int64", True),
        ("int32", "int64", True),
        ("uint8", "bool", True),
        ("int32", "float64", False),
        ("uint8", "int64", False),
        ("bool", "uint8", False),
    ],
)
def test_the_result_has_the_arrays_type_or_the_types_are_told(own, other, fits):
    x, n = nd.ones(3, dtype=own), np.ones(3, other)
    if fits:
        assert (x + n).dtype is (n + x).dtype is x.dtype
        return
    for call in (lambda: x + n, lambda: n + x, lambda: x.__iadd__(n)):
        with pytest.raises(DTypeError, match=rf"{other}.*{own} without a loss.*astype"):
            call()


def test_numbers_of_numpys_and_arrays_without_axes_are_numbers():
    for number in (np.float64(2), np.int32(2), np.array(2), np.array(2.0)):
        alike(number * nd.array(X), 2 * X)
        alike(nd.array(X) - number, X - 2)


def test_non_numeric_arrays_are_rejected():
    for odd in (np.array(["a"]), np.array([1j]), np.array([None]), np.array("a")):
        with pytest.raises(TypeError, match="not supported"):
            nd.ones(1) + odd


def test_in_place_each_side_keeps_its_kind_and_memory():
    x, n = nd.array(X), X.copy()
    same_x, same_n = x, n
    x += n
    alike(same_x, 2 * X)
    n *= nd.array(X)
    np.testing.assert_array_equal(same_n, X * X)
    assert x is same_x and n is same_n


def test_an_operand_may_be_changed_before_the_backward_pass():
    x, n = nd.array(X), X.copy()
    x.attach_grad()
    with autograd.record():
        y = (n * x).sum() + (x @ n.T).sum()
    n[:] = 0
    y.backward()
    alike(x.grad, X + X.sum(0))


class Knows:
    """Another library's array, which handles operations with both types."""

    def __array_ufunc__(self, *args, **kwargs):
        return "answered"

    def __radd__(self, other):
        return "added"

    def __eq__(self, other):
        return "compared"


def test_other_libraries_may_answer():
    x = nd.ones(2)
    assert (x + Knows(), x == Knows(), np.add(x, Knows())) == ("added", "compared", "answered")
    with pytest.raises(TypeError, match=r"type <class 'list'> not supported"):
        x + [1, 2]


@pytest.mark.parametrize(
    "function",
    [
        np.abs, np.arctan, np.cbrt, np.ceil, np.cosh, np.degrees, np.deg2rad, np.exp, np.expm1,
        np.fabs, np.floor, np.log, np.log1p, np.log2, np.negative, np.reciprocal, np.sin, np.sqrt,
        np.square, np.tan, np.tanh, np.trunc,
    ],
)  # fmt: skip
def test_functions_of_one_array_are_operators(function):
    x = nd.array(np.abs(X))
    x.attach_grad()
    with autograd.record():
        y = function(x)
    alike(y, function(np.abs(X)), rtol=1e-5)
    y.backward()
    assert isinstance(function(nd.ones(2, dtype="int32")), np.ndarray), "in NumPy's own type"


def reductions():
    for name in ("sum", "prod", "mean", "var", "std", "max", "min", "any", "all"):
        for options in ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}):
            yield getattr(np, name), options
    yield np.sum, {"dtype": "float64"}
    yield np.mean, {"dtype": np.float64, "axis": 1}
    yield np.std, {"ddof": 1}
    yield np.amax, {"axis": -1}
    yield np.argmax, {"axis": 1}
    yield np.argmin, {}


@pytest.mark.parametrize("function, options", list(reductions()))
def test_reductions_accept_numpys_arguments(function, options):
    wanted = function(X, **options)
    found = function(nd.array(X), **options)
    alike(found, wanted)
    if "dtype" in options:
        assert found.dtype is wanted.dtype.type
    if "axis" in options:
        others = {k: v for k, v in options.items() if k != "axis"}
        alike(function(nd.array(X), options["axis"], **others), wanted)
    target = np.empty_like(wanted, subok=False)
    assert function(nd.array(X), out=target, **options) is target
    np.testing.assert_allclose(target, wanted, rtol=1e-6)
    into = nd.zeros(np.atleast_1d(wanted).shape, dtype=found.dtype)
    assert function(nd.array(X), out=into, **options) is into
    alike(into, wanted)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_means_of_integers_have_fractions_and_truth_is_counted(dtype):
    x = np.array([1, 0, 1, 1]).astype(dtype)
    assert np.mean(nd.array(x, dtype=dtype)).item() == 0.75
    assert np.sum(nd.array(x, dtype=dtype)).item() == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.clip(x, 0, 2),
        lambda x: np.concatenate([x, x]),
        lambda x: np.concatenate((x, x), axis=1),
        lambda x: np.dot(x, x.T),
        lambda x: np.expand_dims(x, 1),
        lambda x: np.ones_like(x),
        lambda x: np.ravel(x),
        lambda x: np.reshape(x, (3, -1)),
        lambda x: np.reshape(x, 6),
        lambda x: np.squeeze(x),
        lambda x: np.stack([x, x], axis=2),
        lambda x: np.swapaxes(x, 0, 1),
        lambda x: np.transpose(x),
        lambda x: np.transpose(x, (1, 0)),
        lambda x: np.zeros_like(x),
    ],
)
def test_shared_functions_are_dispatched(call):
    alike(call(nd.array(X)), call(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.argsort(x),
        lambda x: np.clip(x, 0, None),
        lambda x: np.clip(x, X - 1, X),
        lambda x: np.concatenate([x, X]),
        lambda x: np.cumsum(x, axis=1),
        lambda x: np.dot(x, 2),
        lambda x: np.histogram(x)[0],
        lambda x: np.isnan(x),
        lambda x: np.maximum(x, X),
        lambda x: np.add.reduce(x),
        lambda x: np.median(x),
        lambda x: np.reshape(x[:0], (0, 2)),
        lambda x: np.sort(x),
        lambda x: np.round(x),
        lambda x: np.sum(x, where=X > 0),
        lambda x: np.where(X > 1, x, 0),
        lambda x: np.linalg.norm(x),
        lambda x: np.einsum("ij->j", x),
    ],
)
def test_everything_else_is_numpys(call):
    found, wanted = call(nd.array(X)), call(X)
    assert type(found) is type(wanted)
    np.testing.assert_allclose(found, wanted)


def test_facts_about_an_array_read_no_elements():
    x = nd.zeros((2, 0, 3))
    assert (np.shape(x), np.ndim(x), np.size(x)) == ((2, 0, 3), 3, 0)


def test_arrays_in_any_sequence_are_found():
    class Row(tuple):
        __slots__ = ()

    x = nd.array(X)
    for arrays in (Row((x, X)), [X, x], ([x, X], [X, x])):
        assert isinstance(np.block(list(arrays)), np.ndarray)
    assert np.concatenate(Row((X, x))).shape == (4, 3)


def test_out_is_written_and_returned():
    x = nd.zeros((2, 3))
    assert np.cumsum(X, axis=0, out=x) is x
    alike(x, X.cumsum(0))
    assert np.multiply(X, 2, out=x) is x
    alike(x, 2 * X)


def test_only_numpy_calls_the_protocols():
    x = nd.ones(2)
    for call in (
        lambda: x.__array_ufunc__(3, "__call__", x),
        lambda: x.__array_function__(3, (), (x,), {}),
        lambda: x.__array_function__(np.sum, (), (x,), 3),
    ):
        with pytest.raises(TypeError, match="NumPy calls this for its"):
            call()


def test_gradients_flow_through_numpys_names():
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = np.mean(np.exp(x)) + np.sum(np.square(np.transpose(x)))
    y.backward()
    alike(x.grad, np.exp(X) / 6 + 2 * X, rtol=1e-5)


def test_matrices_multiply_with_numpys_on_either_side():
    n = np.arange(6.0).reshape(3, 2)
    alike(nd.array(X) @ n, X @ n)
    alike(n @ nd.array(X), n @ X)
    alike(np.matmul(nd.array(X), n), X @ n)
    with pytest.raises(TypeError, match="unsupported operand"):
        nd.array(X) @ 2
