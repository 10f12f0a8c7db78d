import numpy as np
import pytest

from opforge import nd, sym
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.loop_gradients import SUM, split_products
from opforge.symbol.compiler.lowering import lower


def compiled(symbol, requests, **shapes):
    return compile_graph(lower(symbol, shapes, {}), requests)


def test_a_product_of_rows_leaves_its_operands_behind():
    net = sym.FullyConnected(sym.var("x"), sym.var("w"), sym.var("b"), num_hidden=40)
    made = compiled(sym.tanh(net), {"w": SUM, "b": SUM}, x=(2, 30), w=(40, 30), b=(40,))
    assert list(made.products) == ["w"]
    product = made.products["w"]
    kinds = [made.types[made.grads[key]].shape for key in (product.left, product.right)]
    assert kinds == [(2, 40), (2, 30)]
    assert "w" not in made.grads
    assert "b" in made.grads


def test_products_share_common_operands():
    x, h, w, u = map(sym.var, "xhwu")
    shapes = {"x": (2, 30), "h": (2, 50), "w": (30, 40), "u": (50, 40)}
    made = compiled(sym.dot(x, w) + sym.dot(h, u), {"w": SUM, "u": SUM}, **shapes)
    assert len(made.products) == 2
    assert len(made.grads) == 3


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: sym.dot(x, w, transpose_a=True, transpose_b=True),  # its rows are no terms
        lambda x, w: sym.dot(x, w) + sym.dot(x * 2, w),  # a sum of two products
        lambda x, w: x * w,
    ],
)
def test_other_gradients_are_added_in_each_iteration(function):
    made = compiled(function(sym.var("x"), sym.var("w")), {"w": SUM}, x=(3, 3), w=(3, 3))
    assert not made.products
    assert list(made.grads) == ["w"]


@pytest.mark.parametrize(
    ("rows", "dtype", "left_behind"),
    [
        (20, "float32", True),
        (400, "float32", False),
        (400, "float16", True),  # cannot be added in place
    ],
)
def test_products_of_many_rows_gain_nothing(rows, dtype, left_behind):
    code = nd.zeros(1, dtype=dtype).dtype_code
    shapes = {"x": (rows, 60), "w": (60, 70)}
    lowered = lower(sym.dot(sym.var("x"), sym.var("w")), shapes, dict.fromkeys(shapes, code))
    made = compile_graph(lowered, {"w": SUM})
    assert bool(made.products) is left_behind
    assert left_behind or len(made.calls) == 2


def test_turns_of_many_rows_add_their_products():
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-2, 3, shape).astype("float32") for shape in ((4, 50, 20), (20, 30)))
    symbol, _ = sym.contrib.foreach(
        lambda row, state: (sym.dot(row, sym.var("w")), state), sym.var("x"), []
    )
    given = {"x": nd.array(x), "w": nd.array(w)}
    grads = {name: nd.ones_like(array) for name, array in given.items()}
    executor = symbol.bind(None, given, grads, "add")
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones((4, 50, 30)))
    want = 1 + 2 * x.reshape(-1, 20).T @ np.ones((200, 30))
    np.testing.assert_array_equal(grads["w"].asnumpy(), want)


def test_operand_names_are_unique():
    w = sym.var("operand0")
    made = compiled(sym.dot(sym.var("x"), w), {"operand0": SUM}, x=(2, 30), operand0=(30, 40))
    product = made.products["operand0"]
    assert "operand0" not in {product.left, product.right}


def test_other_requests_stay():
    edge = sym.var("g").edges[0]
    assert split_products({"x": edge}, {"x": "write"}) == ({"x": edge}, {"x": "write"}, {})
    assert split_products({"x": edge}, {"x": SUM}) == ({"x": edge}, {"x": "add"}, {})


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_turns_that_did_not_happen_add_nothing(turns):
    w = sym.var("w")
    _, state = sym.contrib.while_loop(
        lambda i, s: i < turns,
        lambda i, s: (None, [i + 1, sym.dot(s, w)]),
        [sym.var("i"), sym.var("s")],
        max_iterations=5,
    )[1]
    given = {"i": nd.zeros((1,)), "s": nd.array([[1, 2], [3, 4]]), "w": nd.array([[1, 2], [0, 1]])}
    grads = {name: nd.ones_like(array) for name, array in given.items()}
    executor = state.bind(None, given, grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    s, weight = given["s"].asnumpy(), given["w"].asnumpy()
    want = np.zeros((2, 2))
    for turn in range(turns):
        left = s @ np.linalg.matrix_power(weight, turn)
        right = np.ones((2, 2)) @ np.linalg.matrix_power(weight, turns - 1 - turn).T
        want += left.T @ right
    assert grads["w"].asnumpy().tolist() == want.tolist()
