"""Convolutional networks predict the same in blocked layout as in plain layout."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.gluon import nn
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.layout_assignment import assign_layouts
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.compiler.steady_values import SteadyStore
from opforge.symbol.node import topological

pytestmark = pytest.mark.plugins

#: A multiple of the lanes of each instruction set.
CHANNELS = 16


class Residual(gluon.HybridBlock):
    """Two convolutions with a shortcut, as in residual networks."""

    def __init__(self, channels, stride, shortcut):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(
                *(nn.Conv2D(channels, 3, stride, 1, use_bias=False), nn.BatchNorm()),
                *(nn.Activation("relu"), nn.Conv2D(channels, 3, 1, 1), nn.BatchNorm()),
            )
            self.shortcut = nn.Conv2D(channels, 1, stride, use_bias=False) if shortcut else None

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + (x if self.shortcut is None else self.shortcut(x)))


def network():
    """Return a small network of layers that keep the blocked layout, with trained statistics."""
    mx.random.seed(3)
    net = nn.HybridSequential()
    net.add(
        *(nn.Conv2D(CHANNELS, 7, 2, 3), nn.BatchNorm(), nn.Activation("relu")),
        *(nn.MaxPool2D(3, 2, 1), Residual(CHANNELS, 1, False), Residual(2 * CHANNELS, 2, True)),
        *(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5)),
    )
    net.initialize(mx.init.Normal(0.2))
    x = nd.random.normal(shape=(2, 3, 40, 36))
    for _ in range(3):
        with autograd.record():
            net(x)
    return net, x


def test_a_network_stays_in_blocks():
    """Values computed from the image are not converted; its three channels are not blocks."""
    net, x = network()
    graph = assign_layouts(lower(net(sym.var("data")), {"data": x.shape}, {}, predicting=True), {})
    reached = {id(graph.variables["data"])}
    ways = []
    for node in topological(graph.outputs):
        if any(id(source) in reached for source, _ in node.inputs):
            reached.add(id(node))
            assert node.operation.name not in ("_block", "_unblock")
            if node.operation.name == "Convolution":
                ways.append(node.operation.prop.blocked)
    assert sorted(ways) == ["sums"] * 4 + ["winograd"] * 2


def test_weights_are_brought_into_blocks_once():
    net, x = network()
    symbol = net(sym.var("data"))
    graph = lower(symbol, {"data": x.shape}, {}, predicting=True)
    parameters = [*net.collect_params()]
    made = compile_graph(graph, {}, parameters, SteadyStore(mx.cpu()))
    # Six convolutions, two poolings and the dense layer.
    assert len(made.calls) == 9
    assert len(made.steady) >= 6


def test_hybridized_predictions_are_those_of_the_plain_network():
    net, x = network()
    want = net(x).asnumpy()
    net.hybridize()
    for _ in range(2):
        np.testing.assert_allclose(net(x).asnumpy(), want, rtol=1e-4, atol=1e-5)


def test_new_weights_are_seen():
    net, x = network()
    net.hybridize()
    before = net(x).asnumpy()
    for name, parameter in net.collect_params().items():
        if name.endswith("weight"):
            parameter.set_data(parameter.data() * 0.5)
    after = net(x).asnumpy()
    net.hybridize(active=False)
    np.testing.assert_allclose(after, net(x).asnumpy(), rtol=1e-4, atol=1e-5)
    assert abs(after - before).max() > 1e-3


def test_executors_and_modules_predict_on_blocks():
    net, x = network()
    want = net(x).asnumpy()
    symbol = net(sym.var("data"))
    arrays = {name: p.data() for name, p in net.collect_params().items()}
    arguments = {n: arrays[n] for n in symbol.list_arguments() if n != "data"}
    states = {n: arrays[n] for n in symbol.list_auxiliary_states()}
    bound = symbol.bind(mx.cpu(), {"data": x, **arguments}, grad_req="null", aux_states=states)
    module = mx.mod.Module(symbol, label_names=None)
    module.bind([("data", x.shape)], for_training=False)
    module.set_params(arguments, states)
    for scale in (1, 0.5):
        arguments = {n: a * scale if n.endswith("weight") else a for n, a in arguments.items()}
        bound.copy_params_from(arguments, states)
        module.set_params(arguments, states)
        net.collect_params()  # is unchanged
        found = bound.forward(is_train=False)[0].asnumpy()
        module.forward(mx.io.DataBatch([x], None), is_train=False)
        same = module.get_outputs()[0].asnumpy()
        np.testing.assert_allclose(found, same, rtol=1e-5, atol=1e-6)
        if scale == 1:
            np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)
        else:
            assert abs(found - want).max() > 1e-3


def test_training_has_the_gradients_of_the_plain_network():
    net, x = network()
    found = []
    for _ in range(2):
        with autograd.record(train_mode=False):
            y = net(x)
        y.backward()
        found.append(
            [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]
        )
        net.hybridize()
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * abs(b).max())
