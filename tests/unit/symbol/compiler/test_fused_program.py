"""Fused steps: broadcast inputs, foldable results, and entire graphs."""

import numpy as np
import pytest

import opforge
from opforge import autograd, gluon, nd, sym
from opforge.symbol.compiler.call import Call, Elementwise, Reduction
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.fused_program import FusedProgram, read_by, rows_of, spread
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import Type


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ((4,), (2, 3, 4), (1, 4, 1)),
        ((3, 4), (2, 3, 4), (1, 12, 1)),
        ((3, 1), (2, 3, 4), (4, 3, 1)),
        ((2, 1, 1), (2, 3, 4), (12, 2, 1)),
        ((1,), (2, 3, 4), (24, 1, 1)),
        ((), (), (1, 1, 1)),
        ((2, 1, 4), (2, 3, 4), (12, 2, 4)),
        ((3, 1, 1, 8), (2, 3, 5, 6, 8), (240, 3, 8)),
        ((2, 1, 4, 1), (2, 3, 4, 5), None),
        ((2, 1, 4, 5), (2, 3, 4, 5), None),
        ((2, 3, 4), (3, 4), None),
    ],
)
def test_broadcasting_in_equal_rows(source, target, expected):
    assert spread(Type(source, 0), Type(target, 0)) == expected
    assert spread(Type(source, 1), Type(target, 0)) is None


@pytest.mark.parametrize(
    ("shape", "axes", "expected"),
    [
        ((6,), (0,), 1),
        ((2, 3, 4), (0, 1, 2), 1),
        ((2, 3, 4), (2,), 6),
        ((2, 3, 4), (1, 2), 2),
        ((2, 3, 1), (1,), 2),
        ((1, 3, 4), (0, 2), 3),
        ((2, 3, 4), (0, 2), 0),
        ((2, 3, 4), (0,), 0),
        ((2, 0), (1,), 0),
    ],
)
def test_which_reductions_fold_rows_of_neighbours(shape, axes, expected):
    call = Call(lambda made: None, "", [0], [1], reduction=Reduction("sum", axes))
    assert rows_of(call, [Type(shape, 0), Type((1,), 0)]) == expected
    assert rows_of(Call(lambda made: None, "", [0], [1]), [Type(shape, 0)]) == 0


def row_sums(F, x):
    return F.sum(x, axis=2, keepdims=True)


def first(F, x):
    return F.slice_axis(x, axis=0, begin=0, end=1)


# Name, function of x and y, number of steps of the forward pass.
LOSSES = [
    ("all", lambda F, x, y: F.sum(F.square(x - y)), 1),
    ("mean", lambda F, x, y: F.mean(F.abs(x - y)), 1),
    ("rows", lambda F, x, y: F.sum(F.square(x - y), axis=-1), 1),
    ("two axes", lambda F, x, y: F.mean(x * y, axis=(1, 2)), 1),
    ("excluded", lambda F, x, y: F.sum(x * y, axis=0, exclude=True), 1),
    ("keepdims", lambda F, x, y: F.sum(F.exp(x) * y, axis=2, keepdims=True), 1),
    ("root", lambda F, x, y: F.sqrt(F.sum(F.square(x - y), axis=2)), 2),
    ("norm", lambda F, x, y: F.norm(x - y, axis=2), 1),
    ("norm of order 1", lambda F, x, y: F.norm(x - y, ord=1), 1),
    ("largest", lambda F, x, y: F.max(x - y, axis=2), 1),
    ("read again", lambda F, x, y: F.broadcast_div(F.exp(x) + y, row_sums(F, F.exp(x))), 2),
    ("several", lambda F, x, y: F.sum(x * y, axis=2) + F.max(x * y, axis=2), 2),
    ("different", lambda F, x, y: F.broadcast_add(F.sum(x * y, axis=2), F.sum(x * y)), 3),
    ("broadcast", lambda F, x, y: F.sum(F.square(F.broadcast_sub(x, first(F, y)))), 2),
    ("first axis", lambda F, x, y: F.sum(x * y, axis=0), 2),
]  # fmt: skip


class Loss(gluon.HybridBlock):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, x, y):
        return self.function(F, x, y)


def gradients(block, x, y):
    """Return the result and the gradients of x and y."""
    for array in (x, y):
        array.attach_grad()
    with autograd.record():
        out = block(x, y)
    out.backward()
    return [array.asnumpy() for array in (out, x.grad, y.grad)]


def inputs(shape, dtype):
    rng = np.random.default_rng(len(shape))
    return [nd.array(rng.normal(size=shape), dtype=dtype) for _ in range(2)]


@pytest.mark.parametrize(
    ("function", "steps"), [row[1:] for row in LOSSES], ids=[r[0] for r in LOSSES]
)
def test_the_elements_are_not_stored(function, steps):
    symbol = function(sym, sym.var("x"), sym.var("y"))
    made = compile_graph(lower(symbol, {"x": (2, 3, 4), "y": (2, 3, 4)}, {}), {})
    assert len(made.calls) == steps


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [row[1] for row in LOSSES], ids=[row[0] for row in LOSSES])
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 7, 2100), (2, 300, 129)])
def test_results_and_gradients_are_the_imperative_ones(function, shape, dtype):
    x, y = inputs(shape, dtype)
    block = Loss(function)
    expected = gradients(block, x, y)
    block.hybridize(static_alloc=True, static_shape=True)
    found = [on_threads(threads, gradients, block, x, y) for threads in (1, 2)]
    tolerance = 2e-6 if dtype == "float32" else 1e-13
    for imperative, one, two in zip(expected, *found, strict=True):
        np.testing.assert_array_equal(one, two)
        scale = np.abs(imperative).max()
        np.testing.assert_allclose(one, imperative, rtol=tolerance, atol=tolerance * scale)


def on_threads(threads, function, *arguments):
    before = opforge.set_num_threads(threads)
    try:
        return function(*arguments)
    finally:
        opforge.set_num_threads(before)


def test_sums_are_as_accurate_as_float64():
    x, y = inputs((3, 100_001), "float32")
    block = Loss(LOSSES[0][1])
    block.hybridize()
    squares = np.square(x.asnumpy() - y.asnumpy())
    np.testing.assert_allclose(block(x, y).asnumpy(), [squares.sum(dtype=np.float64)], rtol=2e-7)


def test_integers_are_folded_too():
    x, y = (nd.array(np.arange(24).reshape(2, 3, 4) % 7, dtype="int32") for _ in range(2))
    block = Loss(lambda F, x, y: F.sum(x * y, axis=2))
    expected = block(x, y).asnumpy()
    block.hybridize()
    np.testing.assert_array_equal(block(x, y).asnumpy(), expected)


def test_sums_over_broadcast_axes_are_fused_in_gradients():
    symbol = sym.sum(sym.exp(sym.broadcast_mul(sym.var("x"), sym.var("y"))))
    shapes = {"x": (2, 3, 1), "y": (2, 3, 4)}
    made = compile_graph(lower(symbol, shapes, {}), {"x": "write"})
    # The head is repeated, multiplied by both factors and summed to the shape of x.
    assert made.n_forward == 1 and len(made.calls) == 2
    rng = np.random.default_rng(0)
    arrays = [nd.array(rng.normal(size=shapes[name])) for name in ("x", "y")]
    block = Loss(lambda F, x, y: F.sum(F.exp(F.broadcast_mul(x, y))))
    expected = gradients(block, *arrays)
    block.hybridize()
    for one, other in zip(expected, gradients(block, *arrays), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6)


def test_of_the_shape_to_sum_to_no_element_is_read():
    types = [Type((2, 3), 0), Type((2, 3), 0), Type((2, 1), 0), Type((2, 1), 0)]
    how = Elementwise("unary", "exp")
    calls = [
        Call(lambda made: None, "exp", [0], [1], (), how),
        Call(lambda made: None, "sum", [1, 2], [3], reduction=Reduction("sum", (1,))),
    ]
    found = FusedProgram(calls, {3}, types).call("both")
    assert found.inputs == [0] and found.outputs == [3]
    assert read_by(calls[1], types) == [(1, types[1])]


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("axes", [None, (0,), (1,), (1, 2), (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_gradients_that_are_repeated_are_not_stored(name, axes, keepdims):
    def loss(F, x, y):
        return getattr(F, name)(F.square(x - y), axis=axes, keepdims=keepdims)

    symbol = loss(sym, sym.var("x"), sym.var("y"))
    made = compile_graph(lower(symbol, {"x": (5, 5, 5), "y": (5, 5, 5)}, {}), {"x": "write"})
    assert len(made.calls) - made.n_forward == 1
    block, arrays = Loss(loss), inputs((5, 5, 5), "float32")
    expected = gradients(block, *arrays)
    block.hybridize()
    for one, other in zip(expected, gradients(block, *arrays), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6)


def test_a_normalization_of_blocked_channels_is_one_step():
    names = ("x", "scale", "shift")
    x, scale, shift = (sym.var(name) for name in names)
    result = sym.abs(sym.broadcast_add(sym.broadcast_mul(x, scale), shift))
    shapes = dict(zip(names, [(2, 3, 5, 7, 8), (1, 3, 1, 1, 8), (1, 3, 1, 1, 8)], strict=True))
    assert len(compile_graph(lower(result, shapes, {}), {}).calls) == 1


@pytest.mark.parametrize("empty", range(3))
def test_empty_arrays_are_broadcast(empty):
    shapes = [[2, 3, 4], [2, 1, 4]]
    for shape in shapes:
        shape[empty] = 0 if shape[empty] > 1 else 1
    block = Loss(lambda F, x, y: F.abs(F.broadcast_add(F.broadcast_mul(x, y), y)))
    block.hybridize()
    assert block(*(nd.zeros(shape) for shape in shapes)).shape == tuple(shapes[0])


def test_one_array_may_be_repeated_in_two_ways():
    block = Loss(lambda F, x, y: F.sum(x * y, axis=0) + F.sum(F.exp(x) * y, axis=1))
    arrays = inputs((40, 40), "float32")
    expected = gradients(block, *arrays)
    block.hybridize()
    for one, other in zip(expected, gradients(block, *arrays), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-5)


def test_means_in_the_cache_are_divided_first():
    symbol = sym.mean(sym.square(sym.var("x")), axis=1)

    def n_backward(*shape):
        made = compile_graph(lower(symbol, {"x": shape}, {}), {"x": "write"})
        return len(made.calls) - made.n_forward

    assert [n_backward(rows, 1000) for rows in (10, 100, 2000)] == [1, 2, 1]
