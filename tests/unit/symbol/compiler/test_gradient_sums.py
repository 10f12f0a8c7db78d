"""Gradients of weights used repeatedly: products of rows are joined and added in place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import nd, sym
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.loop_gradients import SUM
from opforge.symbol.compiler.lowering import lower

W = sym.var("w")


def rows(n):
    """Variables that are multiplied by one weight."""
    return [sym.var(f"x{at}") for at in range(n)]


def product(x, weight=W):
    """Products of rows with a weight; those of dense layers would be joined before."""
    return sym.dot(x, weight, transpose_b=True)


def total(terms):
    """Outputs of all terms, summed over their rows, so that the numbers of rows may differ."""
    return sym.add_n(*[sym.sum(term * term, axis=0) for term in terms])


def whole(rng, shape):
    """Small integers, whose sums are exact in any order."""
    return rng.integers(-2, 3, shape).astype("float64")


def compiled(symbol, requests, **shapes):
    return compile_graph(lower(symbol, shapes, {}), requests)


def n_products(made):
    """Return the number of backward steps with the weight's shape, or joined to produce it."""
    shape = made.types[made.inputs["w"]].shape
    return sum(made.types[c.outputs[0]].shape == shape for c in made.calls[made.n_forward :])


def gradients(symbol, arrays, dtype="float64", times=1, req="write"):
    """Return the outputs and all gradients."""
    given = {name: nd.array(value, dtype=dtype) for name, value in arrays.items()}
    grads = {name: nd.ones_like(array) for name, array in given.items()}
    executor = symbol.bind(mx.cpu(), given, grads, req)
    for _ in range(times):
        outputs = executor.forward(is_train=True)
        executor.backward([nd.ones_like(output) for output in outputs])
    return {name: grad.asnumpy() for name, grad in grads.items()}


def expected(arrays, use=lambda x, w: x @ w.T):
    """Return the weight's gradient of `total` of products, computed with NumPy."""
    w = arrays["w"]
    return sum(2 * use(x, w).T @ x for name, x in arrays.items() if name != "w")


@pytest.mark.parametrize("lengths", [(3, 3), (4,) * 9, (100, 100, 100), (2, 300, 3, 4), (30, 1, 7)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_weight_that_is_used_again_and_again(lengths, dtype):
    rng = np.random.default_rng(0)
    arrays = {f"x{at}": whole(rng, (n, 30)) for at, n in enumerate(lengths)}
    arrays["w"] = whole(rng, (40, 30))
    found = gradients(total(map(product, rows(len(lengths)))), arrays, dtype, times=2)
    np.testing.assert_array_equal(found["w"], expected(arrays))
    added = gradients(total(map(product, rows(len(lengths)))), arrays, dtype, times=2, req="add")
    np.testing.assert_array_equal(added["w"], 1 + 2 * expected(arrays))


@pytest.mark.parametrize(
    ("n", "length", "products"),
    [
        (9, 4, 1),  # few rows: one product of all
        (40, 8, 2),  # of 256 rows each
        (6, 200, 6),  # of many rows: each is added to the sum
    ],
)
def test_how_many_products_there_are(n, length, products):
    shapes = {f"x{at}": (length, 30) for at in range(n)}
    made = compiled(total(map(product, rows(n))), {"w": "write"}, w=(40, 30), **shapes)
    assert n_products(made) == products


def test_a_sum_takes_the_memory_of_few_terms():
    shapes = {f"x{at}": (8, 512) for at in range(64)}
    symbol = total(product(x) for x in rows(64))
    made = compiled(symbol, {"w": "write"}, w=(256, 512), **shapes)
    assert made.layout.nbytes < 8 * 256 * 512 * 4


def test_products_come_as_soon_as_they_can():
    """A chain of layers with one weight: each part follows the gradient that it depends on."""
    y = sym.var("x")
    for _ in range(40):
        y = sym.tanh(product(y))
    made = compiled(y, {"w": "write"}, x=(16, 64), w=(64, 64))
    backward = made.calls[made.n_forward :]
    at = [k for k, call in enumerate(backward) if made.types[call.outputs[0]].shape == (64, 64)]
    assert len(at) == 3
    assert at[0] < len(backward) // 2 < at[-1]


def test_terms_that_are_no_products_are_added_last():
    rng = np.random.default_rng(1)
    arrays = {"x0": whole(rng, (3, 30)), "x1": whole(rng, (5, 30)), "w": whole(rng, (40, 30))}
    symbol = sym.Group([total(map(product, rows(2))), W * W * 3])
    found = gradients(symbol, arrays)
    np.testing.assert_array_equal(found["w"], expected(arrays) + 6 * arrays["w"])


def test_a_weight_that_is_data_as_well():
    rng = np.random.default_rng(2)
    w = whole(rng, (20, 20))
    found = gradients(sym.dot(W, W) + sym.dot(W, W, transpose_a=True), {"w": w})
    ones = np.ones((20, 20))
    want = ones @ w.T + w.T @ ones + w @ ones.T + w @ ones
    np.testing.assert_array_equal(found["w"], want)


def test_the_same_product_twice_is_counted_twice():
    rng = np.random.default_rng(3)
    arrays = {"x0": whole(rng, (3, 30)), "w": whole(rng, (40, 30))}
    (x,) = rows(1)
    np.testing.assert_array_equal(
        gradients(total([product(x), product(x)]), arrays)["w"], 2 * expected(arrays)
    )


def test_an_intermediate_weight():
    """The sum need not be a variable's gradient."""
    rng = np.random.default_rng(4)
    arrays = {f"x{at}": whole(rng, (3, 30)) for at in range(4)} | {"w": whole(rng, (40, 30))}
    found = gradients(total(product(x, W * 2) for x in rows(4)), arrays)
    want = 2 * expected(arrays, lambda x, w: x @ (2 * w).T)
    np.testing.assert_array_equal(found["w"], want)


def test_gradients_that_sums_read():
    """Products whose operands are sums of products."""
    rng = np.random.default_rng(5)
    arrays = {"w": whole(rng, (6, 6)), "v": whole(rng, (6, 6)), "x": whole(rng, (6, 6))}
    w, v, x = map(sym.var, "wvx")
    inner = sym.dot(v, w)
    symbol = sym.dot(inner, x, transpose_a=True) + sym.dot(inner, x * 2, transpose_a=True)
    found = gradients(symbol + sym.dot(x, w), arrays)
    ones = np.ones((6, 6))
    d_inner = 3 * arrays["x"] @ ones.T
    want = arrays["v"].T @ d_inner + arrays["x"].T @ ones
    np.testing.assert_array_equal(found["w"], want)
    np.testing.assert_array_equal(found["v"], d_inner @ arrays["w"].T)


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_other_types_are_added_one_by_one(dtype):
    rng = np.random.default_rng(6)
    arrays = {f"x{at}": whole(rng, (3, 30)) for at in range(3)} | {"w": whole(rng, (40, 30))}
    arrays = {name: np.sign(value) for name, value in arrays.items()}
    found = gradients(total(map(product, rows(3))), arrays, dtype)
    np.testing.assert_array_equal(found["w"], expected(arrays))


def test_a_body_leaves_joined_rows_behind():
    """A weight that an iteration uses twice is also one product."""
    symbol = product(sym.var("x0")) * product(sym.var("x1"))
    made = compiled(symbol, {"w": SUM}, x0=(2, 30), x1=(2, 30), w=(40, 30))
    found = made.products["w"]
    shapes = [made.types[made.grads[key]].shape for key in (found.left, found.right)]
    assert shapes == [(4, 40), (4, 30)]


@settings(max_examples=40, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 90), min_size=1, max_size=12),
    sides=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    seed=st.integers(0, 1 << 20),
    extra=st.booleans(),
)
def test_any_rows_give_the_exact_sum(lengths, sides, seed, extra):
    rng = np.random.default_rng(seed)
    units, features = sides
    arrays = {f"x{at}": whole(rng, (n, features)) for at, n in enumerate(lengths)}
    arrays["w"] = whole(rng, (units, features))
    symbol = total(product(x) for x in rows(len(lengths)))
    want = expected(arrays)
    if extra:
        symbol, want = sym.Group([symbol, W * W]), want + 2 * arrays["w"]
    np.testing.assert_array_equal(gradients(symbol, arrays)["w"], want)
