from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import nd, sym
from opforge.base.errors import OpforgeError
from opforge.gluon import nn
from opforge.op.registry.registry import register_operator
from opforge.plugin_api import Attribute, CustomOp, DType, OperatorProp, layouts
from opforge.symbol.compiler.layout_assignment import assign_layouts
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological


class _Mixing(CustomOp):
    """Mixes channels; both layouts are one sum of products."""

    def __init__(self, plain):
        # data, weight, output
        self.axes = ("nchw", "oc", "nohw") if plain else ("nchwi", "ocij", "nohwj")

    def forward(self, is_train, req, in_data, out_data, aux):
        x, w, y = self.axes
        found = np.einsum(f"{x},{w}->{y}", *(a.asnumpy() for a in in_data))
        self.assign(out_data[0], req[0], nd.array(found))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x, w, y = self.axes
        data, weight = (a.asnumpy() for a in in_data)
        dy = out_grad[0].asnumpy()
        self.assign(in_grad[0], req[0], nd.array(np.einsum(f"{y},{w}->{x}", dy, weight)))
        self.assign(in_grad[1], req[1], nd.array(np.einsum(f"{y},{x}->{w}", dy, data)))


class Mix(OperatorProp):
    """Mix channels: (n, c, h, w) with (filters, c); prefers blocked data."""

    name = "arranging_mix"
    arguments = ("data", "weight")
    filters = Attribute(int, doc="Channels of the output.")
    lanes = Attribute(int, default=0, doc="0: the data are plain.")
    best = Attribute(int, default=4, doc="Lanes that suit the operator.")
    asked = []

    def infer_shape(self, in_shape):
        data = in_shape[0]
        if not self.lanes:
            return (
                [data, (self.filters, data[1])],
                [(data[0], self.filters, *data[2:])],
                [],
            )
        groups = self.filters // self.lanes
        return (
            [data, (groups, data[1], self.lanes, self.lanes)],
            [(data[0], groups, *data[2:])],
            [],
        )

    def blocked_form(self, inputs, needs_gradient):
        Mix.asked.append((inputs, needs_gradient))
        if self.lanes or self.filters % self.best or inputs[0].shape[1] % self.best:
            return None
        image = layouts.Blocked(1, self.best)
        weight = (layouts.Blocked(1, self.best), layouts.Blocked(0, self.best))
        return layouts.BlockedForm(
            [image, weight], [image], {"lanes": self.best}, begins=self.filters < 64
        )

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return _Mixing(not self.lanes)


register_operator(Mix, "acme-arranging", "1.0", "plugin")


def operators_of(symbol, requests=(), predicting=False, **shapes):
    """Return the number of calls of each operator in the arranged graph."""
    graph = assign_layouts(lower(symbol, shapes, {}, predicting), dict.fromkeys(requests, "write"))
    nodes = topological(graph.outputs)
    return Counter(node.operation.name for node in nodes if node.operation)


def conversions(symbol, **shapes):
    found = operators_of(symbol, **shapes)
    return found["_block"], found["_unblock"]


def mix(x, filters=8, **attributes):
    return sym.arranging_mix(x, filters=filters, **attributes)


DATA = (2, 8, 3, 5)


def test_a_region_is_entered_and_left_once():
    """One conversion of each weight, and one of the data in each direction."""
    y = sym.tanh(mix(sym.var("x")))
    y = mix(y + sym.tanh(y) * 2, 4)
    assert conversions(y, x=DATA) == (1 + 2, 1)


def test_an_operator_that_is_called_by_its_registered_name_has_its_form():
    x = nd.array(np.random.default_rng(0).standard_normal(DATA))
    found = []
    for best in (4, 1000):
        y = sym.Custom(sym.var("x"), op_type="arranging_mix", filters=8, best=best, name="c")
        y = sym.tanh(y) + 1
        found.append(y.eval(x=x, **weights(y, x=DATA))[0].asnumpy())
        assert conversions(y, x=DATA) == ((2, 1) if best == 4 else (0, 0))
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_outputs_are_plain_and_one_conversion_serves_all_readers():
    y = mix(sym.var("x"))
    both = sym.Group([y, sym.tanh(y), sym.sum(y), sym.flatten(y)])
    assert conversions(both, x=DATA) == (2, 2)
    shapes = [s.shape for s in both.eval(x=nd.ones(DATA), **weights(both, x=DATA))]
    assert shapes == [DATA, DATA, (1,), (2, 120)]


def weights(symbol, **shapes):
    """Return values of the arguments that `shapes` does not contain."""
    rng = np.random.default_rng(1)
    found = zip(symbol.list_arguments(), symbol.infer_shape(**shapes)[0], strict=True)
    return {n: nd.array(rng.standard_normal(s)) for n, s in found if n not in shapes}


def test_indivisible_axes_keep_the_plain_layout():
    assert conversions(mix(sym.var("x"), 6), x=DATA) == (0, 0)
    assert conversions(mix(sym.var("x"), 8), x=(2, 6, 3, 5)) == (0, 0)


def test_followers_use_a_blocked_layout_only_for_blocked_data():
    """With 64 filters, the operator is not worth a conversion."""
    x = sym.var("x")
    assert conversions(mix(x, 64), x=DATA) == (0, 0)
    assert conversions(mix(mix(x), 64), x=DATA) == (3, 1)


def test_other_lanes_are_another_layout():
    y = mix(mix(sym.var("x")), best=2)
    assert conversions(y, x=DATA) == (2 + 2, 2)


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda y, x: y + x, (2, 1)),  # the data were converted anyway
        (lambda y, x: y + sym.var("z", shape=DATA), (2, 1)),  # not worth it: y is converted
        (lambda y, x: sym.broadcast_add(y, sym.var("z", shape=(1, 8, 1, 1))), (2, 1)),
        (lambda y, x: sym.broadcast_mul(y, sym.var("z", shape=(1, 8, 1, 5))), (3, 1)),
        (lambda y, x: sym.broadcast_mul(y, sym.var("z", shape=(1, 1, 3, 5))), (2, 1)),
        (lambda y, x: sym.broadcast_mul(y, sym.var("z", shape=(5,))), (2, 1)),
        (lambda y, x: sym.broadcast_mul(sym.var("z", shape=(1,)), y), (2, 1)),
        (lambda y, x: sym.broadcast_add(y, sym.var("z", shape=(3, *DATA))), (2, 1)),
        (lambda y, x: sym.Concat(y, x, dim=1), (2, 1)),
        (lambda y, x: sym.Concat(y, y * 2, dim=-1), (2, 1)),
        (lambda y, x: sym.Concat(y, sym.var("z", shape=DATA), dim=1), (2, 1)),
        (lambda y, x: sym.where(y > 0, y, sym.zeros_like(y)), (2, 1)),
        (lambda y, x: sym.where(sym.var("z", shape=(2,)), y, y * 2), (2, 2)),
        (lambda y, x: sym.add_n(y, sym.clip(y, 0, 1), sym.cast(y, dtype="float32")), (2, 1)),
        (lambda y, x: sym.sum(y, axis=1), (2, 1)),
        (lambda y, x: sym.sort(y, axis=1) + y, (2, 1)),
    ],
)
def test_values_and_gradients_are_those_of_the_plain_graph(make, count):
    x = sym.var("x", shape=DATA)
    # A number of lanes that divides nothing: the graph is unchanged and never arranged.
    graphs = [make(mix(x, best=best), x) for best in (4, 1000)]
    found = []
    rng = np.random.default_rng(0)
    for graph in graphs:
        given = {"x": nd.array(rng.standard_normal(DATA)) if not found else found[0][0]["x"]}
        given.update({f"{k}": v for k, v in _others(graph).items()})
        grads = {name: nd.zeros(value.shape) for name, value in given.items()}
        executor = graph.bind(mx.cpu(), given, grads)
        out = executor.forward(is_train=True)[0]
        executor.backward(nd.array(np.random.default_rng(5).standard_normal(out.shape)))
        found.append((given, out.asnumpy(), [grads[k].asnumpy() for k in graph.list_arguments()]))
    assert conversions(graphs[0], x=DATA) == count
    assert conversions(graphs[1], x=DATA) == (0, 0)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-5, atol=1e-5)
    for blocked, plain in zip(found[0][2], found[1][2], strict=True):
        np.testing.assert_allclose(blocked, plain, rtol=1e-4, atol=1e-4)


def _others(graph):
    """Return values of the arguments except x, equal for graphs whose names differ."""
    rng = np.random.default_rng(2)
    shapes = graph.infer_shape(x=DATA)[0]
    named = zip(graph.list_arguments(), shapes, strict=True)
    return {n: nd.array(rng.standard_normal(s)) for n, s in named if n != "x"}


def test_a_declaration_is_told_shapes_types_layouts_and_gradients():
    y = sym.tanh(mix(sym.var("x"), name="first"))
    y = mix(y, 4, name="second")
    Mix.asked.clear()
    operators_of(y, ["second_weight"], x=DATA)
    (first, first_needs), (second, second_needs) = Mix.asked
    assert [item.shape for item in first] == [DATA, (8, 8)]
    assert [item.layout for item in first] == [None, None]
    assert {item.dtype for item in first} == {np.float32}
    assert [item.layout for item in second] == [layouts.Blocked(1, 4), None]
    assert second[0].shape == DATA
    assert (first_needs, second_needs) == (False, True)


class Broken(OperatorProp):
    """Return the value of its attribute as a layout."""

    name = "arranging_broken"
    kind = Attribute(str, doc="Which form.")
    n_outputs = Attribute(int, default=1, doc="Number of outputs.")
    dtype = Attribute(DType, default=None, doc="Type of the outputs.")

    def compute(self, in_data, out_data, req, is_train):
        """Copy."""
        out_data[0][:] = in_data[0]

    differentiable = False

    def list_outputs(self):
        """Return the number of names that the attribute specifies."""
        return ["output", "rest"][: self.n_outputs]

    def infer_shape(self, in_shape):
        """Return the data's shape."""
        return in_shape, [in_shape[0]] * self.n_outputs, []

    def infer_type(self, in_type):
        """Return the data's type, or the one of the attribute."""
        return in_type, [self.dtype or in_type[0]] * self.n_outputs, []

    def blocked_form(self, inputs, needs_gradient):
        """Return an invalid result."""
        four = layouts.Blocked(1, 4)
        forms = {
            "raises": lambda: 1 // 0,
            "count": lambda: layouts.BlockedForm([four, four], [four], begins=True),
            "misfit": lambda: layouts.BlockedForm([layouts.Blocked(1, 5)], [None], begins=True),
            "axis": lambda: layouts.BlockedForm([layouts.Blocked(7, 4)], [None], begins=True),
            "output": lambda: layouts.BlockedForm([four], [None], begins=True),
            "more": lambda: layouts.BlockedForm([four], [four], {"n_outputs": 2}, begins=True),
            "type": lambda: layouts.BlockedForm([four], [four], {"dtype": "int8"}, begins=True),
            "attribute": lambda: layouts.BlockedForm([four], [four], {"no": 1}, begins=True),
        }
        return forms[self.kind]()


register_operator(Broken, "acme-arranging", "1.0", "plugin")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("raises", "ZeroDivisionError in blocked_form"),
        ("count", "has 2 inputs and 1 outputs, expected 1 and 1"),
        ("misfit", r"takes 'data' as Blocked\(axis=1, lanes=5\), which the shape .* does not fit"),
        ("axis", r"takes 'data' as Blocked\(axis=7, lanes=4\)"),
        ("output", r"gives 'output' the shape \(2, 2, 3, 5, 4\), expected \(2, 8, 3, 5\)"),
        ("more", "gives 2 outputs, expected 1"),
        ("type", "gives 'output' the type int8, expected float32"),
        ("attribute", "sets 'no': the operator has no such attribute"),
    ],
)
def test_a_wrong_form_names_the_operator(kind, text):
    with pytest.raises(OpforgeError, match=text) as caught:
        operators_of(sym.arranging_broken(sym.var("x"), kind=kind), x=DATA)
    assert "arranging_broken" in str(caught.value)


@pytest.mark.plugins
@pytest.mark.parametrize("is_train", [True, False])
def test_batch_norm_follows_and_its_states_are_those_of_the_plain_graph(is_train):
    def graph(best):
        x = sym.var("x", shape=DATA)
        y = sym.BatchNorm(mix(x, best=best, name="one"), name="norm", fix_gamma=False)
        return mix(sym.tanh(y) + x, best=best, name="two")

    rng = np.random.default_rng(0)
    symbols = [graph(best) for best in (4, 1000)]
    for predicting in (True, False):  # a factor and a shift for each channel, or the identity
        assert conversions(symbols[0], predicting=predicting, x=DATA) == (1 + 2, 1)
    shapes, _, aux_shapes = symbols[0].infer_shape()
    arguments = zip(symbols[0].list_arguments(), shapes, strict=True)
    args = {name: nd.array(rng.standard_normal(shape)) for name, shape in arguments}
    found = []
    for symbol in symbols:
        names = symbol.list_auxiliary_states()
        aux = {name: nd.ones(shape) for name, shape in zip(names, aux_shapes, strict=True)}
        grads = {name: nd.zeros(value.shape) for name, value in args.items()}
        executor = symbol.bind(mx.cpu(), args, grads, aux_states=aux)
        out = executor.forward(is_train=is_train)[0]
        results = [out.asnumpy()]
        if is_train:
            executor.backward(nd.array(np.cos(results[0])))
            results += [grad.asnumpy() for grad in grads.values()]
        found.append([*results, *(a.asnumpy() for a in aux.values())])
    for blocked, plain in zip(*found, strict=True):
        np.testing.assert_allclose(blocked, plain, rtol=1e-4, atol=1e-4)


def test_saved_symbols_have_the_plain_graph():
    y = mix(sym.tanh(mix(sym.var("x"))), 4)
    y.eval(x=nd.ones(DATA), **weights(y, x=DATA))
    assert "_block" not in y.tojson()
    assert y.infer_shape(x=DATA)[1] == [(2, 4, 3, 5)]


def test_hybridized_blocks_equal_imperative_ones():
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = self.params.get("weight", shape=(8, 8))

        def hybrid_forward(self, F, x, weight):
            y = F.tanh(F.arranging_mix(x, weight, filters=8))
            return F.arranging_mix(y, weight, filters=8) + x

    net = Net()
    net.initialize()
    x = nd.array(np.random.default_rng(0).standard_normal(DATA))
    found = []
    for _ in range(2):
        with mx.autograd.record():
            y = net(x)
        y.backward()
        found.append((y.asnumpy(), net.weight.grad().asnumpy()))
        net.hybridize()
    for plain, blocked in zip(*found, strict=True):
        np.testing.assert_allclose(blocked, plain, rtol=1e-5, atol=1e-5)


#: Steps of random programs: two earlier values, preferred lanes, and a number.
STEPS = (
    lambda a, b, best, at: mix(a, best=best, name=f"mix{at}"),
    lambda a, b, best, at: a + b,
    lambda a, b, best, at: sym.maximum(a, b),
    lambda a, b, best, at: sym.tanh(a),
    lambda a, b, best, at: sym.broadcast_mul(a, sym.var(f"factor{at}", shape=(1, 8, 1, 1))),
    lambda a, b, best, at: sym.broadcast_sub(sym.sum(b, axis=(2, 3), keepdims=True), a),
    lambda a, b, best, at: sym.slice_axis(sym.Concat(a, b, dim=1), axis=1, begin=4, end=12),
    lambda a, b, best, at: sym.where(a > 0, b, a),
    lambda a, b, best, at: sym.flip(a, axis=1),
)


@st.composite
def programs(draw):
    """Return a function from the preferred lanes to a graph of random operators."""
    index = st.integers(0, 9)
    steps = draw(st.lists(st.tuples(st.sampled_from(STEPS), index, index), max_size=9))

    def program(best):
        x = sym.var("x", shape=DATA)
        values = [x, mix(x, best=best, name="first")]
        for at, (step, one, other) in enumerate(steps):
            values.append(step(values[one % len(values)], values[other % len(values)], best, at))
        return sym.Group(values[-3:])

    return program


@settings(max_examples=40)
@given(programs())
def test_random_programs_equal_those_in_plain_layout(program):
    rng = np.random.default_rng(0)
    found = []
    for best in (4, 1000):
        graph = program(best)
        if not found:
            names, shapes = graph.list_arguments(), graph.infer_shape()[0]
            args = {
                name: nd.array(rng.standard_normal(shape) / 4)
                for name, shape in zip(names, shapes, strict=True)
            }
        grads = {name: nd.zeros(value.shape) for name, value in args.items()}
        executor = graph.bind(mx.cpu(), args, grads)
        outputs = executor.forward(is_train=True)
        executor.backward([nd.ones(y.shape) * (at + 1) for at, y in enumerate(outputs)])
        found.append([a.asnumpy() for a in (*outputs, *grads.values())])
    for blocked, plain in zip(*found, strict=True):
        scale = max(1, np.abs(plain).max())
        np.testing.assert_allclose(blocked, plain, rtol=1e-4, atol=1e-5 * scale)
