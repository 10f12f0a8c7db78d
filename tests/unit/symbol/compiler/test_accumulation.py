"""Terms that are added to existing memory: gradients with request "add", and sums."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.gluon import HybridBlock
from opforge.symbol.compiler.accumulation import can_add, first_term, sum_of, sums_rows
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower

X, W = sym.var("x"), sym.var("w")
ROWS = {"x": (300, 20), "w": (20, 30)}  # too many rows to join products


def compiled(symbol, requests, parameters=(), **shapes):
    return compile_graph(lower(symbol, shapes, {}), requests, parameters)


def product(**types):
    shapes = {"x": (5, 2), "y": (5, 3)}
    lowered = lower(sym.dot(sym.var("x"), sym.var("y"), transpose_a=True), shapes, types)
    return lowered.outputs[0]


def test_the_terms_of_a_sum_follow_each_other():
    products = [product()[0] for _ in range(3)]
    terms = sum_of(products)
    assert [len(term.inputs) for term in terms] == [2, 3, 3]
    assert all(first_term((term, 0)) == (terms[0], 0) for term in terms)
    assert first_term((products[0], 0)) == (products[0], 0)


@pytest.mark.parametrize(
    ("code", "adds"), [(0, True), (1, True), (2, False), (4, False)], ids=["32", "64", "16", "int"]
)
def test_which_products_add_in_place(code, adds):
    edge = product(x=code, y=code)
    assert sums_rows(edge)
    assert can_add(edge) is adds


def head_of(x):
    """So few rows that products of them are joined."""
    return sym.slice_axis(x, axis=0, begin=0, end=4)


NETS = {
    "one product": (lambda w: sym.dot(X, w), 0),
    "two products": (lambda w: sym.dot(X, w) + sym.dot(X * 2, w), 0),
    "joined rows": (lambda w: sym.dot(head_of(X), w) + sym.dot(head_of(X * 2), w), 0),
    "a term that is none": (lambda w: sym.Group([sym.dot(X, w), w * w]), 1),
    "no product": (lambda w: w * 3, 1),
}


@pytest.mark.parametrize("name", NETS)
def test_only_non_products_need_a_separate_addition(name):
    function, additions = NETS[name]
    made = {req: compiled(function(W), {"w": req}, **ROWS) for req in ("write", "add")}
    assert len(made["add"].calls) - len(made["write"].calls) == additions
    assert additions or made["add"].layout == made["write"].layout


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gradients_are_added_to_array_contents(name, dtype):
    symbol = NETS[name][0](W)
    rng = np.random.default_rng(0)
    given = {
        name: nd.array(rng.integers(-1, 2, shape), dtype=dtype)
        for name, shape in ROWS.items()
        if name in symbol.list_arguments()
    }
    found = {}
    for req in ("write", "add"):
        grad = {"w": nd.full(ROWS["w"], 7, dtype=dtype)}
        executor = symbol.bind(mx.cpu(), given, grad, {"w": req, "x": "null"})
        for _ in range(3):
            outputs = executor.forward(is_train=True)
            executor.backward([nd.ones_like(output) for output in outputs])
        found[req] = grad["w"].asnumpy()
    np.testing.assert_array_equal(found["add"], 7 + 3 * found["write"])


class Twice(HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.w = self.params.get("w", shape=ROWS["w"])

    def hybrid_forward(self, F, x, w):
        return F.dot(x, w) + F.dot(x * 2, w)


def test_a_block_adds_or_writes_as_its_parameter_asks_from_call_to_call():
    net = Twice()
    net.initialize(mx.init.One())
    net.hybridize()
    x = nd.random.randint(-2, 3, shape=ROWS["x"]).astype("float32")
    each = 3 * x.asnumpy().sum(axis=0)[:, None] * np.ones(ROWS["w"][1])
    want = 0
    for req in ("write", "add", "add", "write", "add"):
        net.w.grad_req = req
        want = want + each if req == "add" else each
        if req == "add":
            net.w.grad()[:] = nd.array(want - each)
        with autograd.record():
            y = net(x)
        y.backward()
        np.testing.assert_array_equal(net.w.grad().asnumpy(), want)


def test_a_block_s_sum_meets_other_gradients_of_its_parameter():
    net = Twice()
    net.initialize(mx.init.One())
    net.hybridize()
    net.w.grad_req = "add"
    x = nd.ones(ROWS["x"])
    for _ in range(2):
        with autograd.record():
            y = net(x).sum() + (net.w.data() * 5).sum() + net(x * 2).sum()
        y.backward()
    assert (net.w.grad().asnumpy() == 2 * (3 * 300 + 5 + 6 * 300)).all()


def test_shared_gradients_are_not_accumulated_in_place():
    """Two variables share one gradient, which is computed once and stored in both arrays."""
    a, b = sym.var("a"), sym.var("b")
    symbol = sym.dot(X, a + b) + sym.dot(X * 2, a + b)
    shapes = {"x": ROWS["x"], "a": ROWS["w"], "b": ROWS["w"]}
    given = {name: nd.ones(shape) for name, shape in shapes.items()}
    grads = {"a": nd.full(ROWS["w"], 7), "b": nd.full(ROWS["w"], 9)}
    executor = symbol.bind(mx.cpu(), given, grads, {"a": "add", "b": "write", "x": "null"})
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones((300, 30)))
    assert (grads["a"].asnumpy() == 7 + 2 * 900).all()
    assert (grads["b"].asnumpy() == 900).all()


@pytest.mark.plugins
@pytest.mark.parametrize("is_steady", [False, True])
def test_sums_are_not_accumulated_into_constants(is_steady):
    """A loss's gradient is a constant: terms of its products depend on frozen parameters only."""

    class Frozen(HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.w = self.params.get("w", shape=ROWS["w"])
                self.x = self.params.get("x", shape=ROWS["x"], grad_req="null")

        def hybrid_forward(self, F, step, w, x):
            y = F.dot(x, w) + F.dot(x * 2, w)
            return F.make_loss(y if is_steady else y * step)

    net = Frozen()
    net.initialize(mx.init.One())
    net.hybridize()
    net.w.grad_req = "add"
    for _ in range(3):
        with autograd.record():
            loss = net(nd.ones(1).broadcast_to((300, 30)))
        loss.backward()
    assert (net.w.grad().asnumpy() == 3 * 900).all()


def test_any_number_of_runs_gives_the_same_bits():
    rng = np.random.default_rng(1)
    given = {name: nd.array(rng.standard_normal(shape)) for name, shape in ROWS.items()}
    head = nd.array(rng.standard_normal((300, 30)))
    found = []
    for _ in range(5):
        grad = {"w": nd.full(ROWS["w"], 0.3)}
        executor = NETS["two products"][0](W).bind(mx.cpu(), given, grad, {"w": "add", "x": "null"})
        executor.forward(is_train=True)
        executor.backward(head)
        found.append(grad["w"].asnumpy().tobytes())
    assert len(set(found)) == 1
