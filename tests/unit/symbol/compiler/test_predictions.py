"""Operators that are replaced in predictions: in blocks, executors, with gradients, repeatedly."""

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, nd, sym
from opforge.native import calls
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological


class Louder(OperatorProp):
    """Twice `data` in training; once in a prediction."""

    name = "louder_of_test"
    outputs = ("output", "factor")
    num_visible_outputs = 1
    saves = ("factor",)
    attrs = {"FInplaceOption": [(0, 0)]}
    composed = 0

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0], (1,)], []

    def compute(self, in_data, out_data, req, is_train):
        factor = 2 if is_train else 1
        calls.fill(out_data[1], factor)
        calls.binary_scalar("multiply", in_data[0], factor, out_data[0], req=req[0])

    def gradient(self, F, out_grad, in_data, out_data):
        return [F.broadcast_mul(out_grad[0], out_data[1])]

    def compose_predicting(self, F, data):
        Louder.composed += 1
        if data.dtype == np.float64:
            return None
        return [data * 1, F.ones_like(F.slice_axis(data, axis=0, begin=0, end=1))]


@pytest.fixture(autouse=True)
def louder():
    with registry.temporary():
        registry.register_custom(Louder.name, Louder)
        registry.register_custom(Loudest.name, Loudest)
        Louder.composed = 0
        yield


class Loudest(OperatorProp):
    """The operator above, and another step."""

    name = "loudest_of_test"

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def compose(self, F, data):
        return F.tanh(call(F, data))


def call(F, x):
    return F.Custom(x, op_type=Louder.name)


def operators(graph):
    return [n.operation.name for n in topological(graph.outputs) if n.operation]


def test_only_predictions_are_composed():
    y = call(sym, sym.var("x")) + 1
    assert lower(y, {"x": (3,)}, {}).changes_in_prediction
    graph = lower(y, {"x": (3,)}, {}, predicting=True)
    assert operators(graph) == ["_mul_scalar", "_plus_scalar"] and not graph.changes_in_prediction
    assert len(compile_graph(graph, {}).calls) == 1


def test_the_operator_may_decline():
    y = call(sym, sym.var("x"))
    graph = lower(y, {"x": (3,)}, {"x": 1}, predicting=True)
    assert Louder.composed == 1 and graph.changes_in_prediction and len(operators(graph)) == 1


class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.tanh(call(F, x)) * 2


def test_a_block_trains_predicts_and_is_differentiated_in_a_prediction():
    net, x = Net(), nd.array([0.5, -1.0, 2.0])
    x.attach_grad()

    def everything():
        found = [net(x).asnumpy()]
        for mode in (True, False):
            with autograd.record(train_mode=mode):
                y = net(x)
            y.backward()
            found += [y.asnumpy(), x.grad.asnumpy()]
        with autograd.train_mode():
            found.append(net(x).asnumpy())
        return found

    want = everything()
    net.hybridize()
    for _ in range(2):
        for have, expected in zip(everything(), want, strict=True):
            np.testing.assert_allclose(have, expected, 1e-6)
    assert Louder.composed == 1, "the prediction without gradients alone"


def test_an_executor_trains_and_predicts_in_turn():
    x, grad = nd.array([0.5, -1.0, 2.0]), nd.zeros((3,))
    run = sym.tanh(call(sym, sym.var("x"))).bind(cpu(), {"x": x}, {"x": grad})
    for is_train, factor in ((False, 1), (True, 2), (False, 1), (True, 2), (True, 2), (False, 1)):
        (y,) = run.forward(is_train)
        np.testing.assert_allclose(y.asnumpy(), np.tanh(x.asnumpy() * factor), 1e-6)
        run.backward([nd.ones((3,))], is_train)
        slope = factor * (1 - np.tanh(x.asnumpy() * factor) ** 2)
        np.testing.assert_allclose(grad.asnumpy(), slope, 1e-4)
        x[:] = x * 0.9
    assert Louder.composed == 1


def test_an_executor_made_from_another_predicts_for_itself():
    run = call(sym, sym.var("x")).simple_bind(cpu(), x=(3,))
    run.forward(x=nd.ones((3,)))
    other = run.reshape(x=(2,))
    assert other.forward(x=nd.ones((2,)))[0].asnumpy().tolist() == [1, 1]
    assert run.forward(is_train=True)[0].asnumpy().tolist() == [2, 2, 2]


def test_monitors_see_hidden_outputs_of_predictions():
    run = call(sym, sym.var("x")).bind(cpu(), {"x": nd.ones((2,))})
    seen = {}
    run.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy().tolist()}))
    run.forward()
    assert sorted(seen.values()) == [[1], [1, 1]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32"])
@pytest.mark.parametrize("bounds", [(0.0, 6.0), (-0.7, 2.3), (5.0, 1.0), (-1e300, 3.4e38)])
def test_a_compiled_clip_is_two_kernels(dtype, bounds):
    x = nd.array([np.nan, np.inf, -np.inf, 0.0, -3.5, 2.2, 7.9, 1e5][3 * (dtype == "int32") :])
    x = x.astype(dtype)
    low, high = bounds
    y = sym.clip(sym.var("x"), a_min=low, a_max=high)
    (have,) = y.bind(cpu(), {"x": x}).forward()
    want = nd.clip(x, low, high)
    wide = (array.astype("float64").asnumpy() for array in (have, want))
    np.testing.assert_array_equal(*wide)
    graph = lower(y, {"x": x.shape}, {"x": x.dtype_code}, predicting=True)
    fused = dtype in ("float32", "float64") or (dtype == "bfloat16" and bounds[0] in (0, 5))
    assert operators(graph) == (["_maximum_scalar", "_minimum_scalar"] if fused else ["clip"])


def test_a_clip_joins_the_operator_before_it():
    dense = sym.FullyConnected(sym.var("x"), num_hidden=3, name="dense")
    y = sym.clip(dense, a_min=0, a_max=6)
    for predicting, n_calls in ((False, 2), (True, 1)):
        graph = lower(y, {"x": (2, 4)}, {}, predicting)
        assert len(compile_graph(graph, {}).calls) == n_calls


def test_predictions_read_the_arrays_that_were_bound():
    """As in training, arrays that a user puts into the dictionaries are not read."""
    x = nd.ones((2,))
    run = call(sym, sym.var("x")).bind(cpu(), {"x": x})
    run.arg_dict["x"] = nd.zeros((2,))
    assert run.forward()[0].asnumpy().tolist() == [1, 1]
    x[:] = 3
    assert run.forward()[0].asnumpy().tolist() == [3, 3]
    assert run.forward(is_train=True)[0].asnumpy().tolist() == [6, 6]


def test_operators_that_are_composed_see_no_hidden_outputs():
    y = sym.Custom(sym.var("x"), op_type=Loudest.name)
    run = y.bind(cpu(), {"x": nd.ones((2,))})
    for is_train, factor in ((False, 1), (True, 2), (False, 1)):
        found = run.forward(is_train)[0].asnumpy()
        np.testing.assert_allclose(found, np.tanh([factor] * 2), 1e-6)
    assert len(compile_graph(lower(y, {"x": (2,)}, {}, predicting=True), {}).calls) == 1


@pytest.mark.plugins
def test_a_graph_that_draws_in_predictions_is_computed_once_for_its_gradient():
    """A mask that is drawn again would differ from the outputs'."""
    y = sym.Dropout(call(sym, sym.var("x")), p=0.5, mode="always")
    x, grad = nd.ones((100,)), nd.zeros((100,))
    run = y.bind(cpu(), {"x": x}, args_grad={"x": grad})
    for _ in range(5):
        (found,) = run.forward(is_train=False)
        run.backward(nd.ones((100,)))
        assert grad.asnumpy().tolist() == found.asnumpy().tolist()
