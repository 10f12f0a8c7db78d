import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd


class Net(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.scale = self.params.get("scale", shape=(2,), init="ones")

    def hybrid_forward(self, F, x, scale):
        return F.exp(F.broadcast_mul(x, scale, name="product"), name="result")


def initialized():
    net = Net(prefix="net_")
    net.initialize()
    return net


def test_outputs_and_inputs_are_shown():
    net = initialized()
    seen = []
    net.register_op_hook(lambda name, operator, array: seen.append((name, operator, array)), True)
    net(nd.ones((1, 2)))
    assert seen == [], "operators of a block that is not hybridized are in no graph"
    net.hybridize()
    for _ in range(2):
        net(nd.ones((1, 2)))
    assert [name for name, _, _ in seen[:5]] == [
        b"net_product_lhs",
        b"net_product_rhs",
        b"net_product_0",
        b"net_result_input0",
        b"net_result_0",
    ]
    assert seen[4][1] == b"exp"
    assert np.allclose(seen[4][2].asnumpy(), np.e)
    assert len(seen) == 10
    net.register_op_hook(lambda name, operator, array: seen.append(name))
    net(nd.ones((1, 2)))
    assert seen[10:] == [b"net_product_0", b"net_result_0"]


def test_results_and_gradients_are_unchanged():
    net = initialized()
    outer = gluon.nn.HybridSequential()
    outer.add(net)
    seen = []
    outer.register_op_hook(lambda *shown: seen.append(shown))
    outer.hybridize()
    x = nd.array([[1.0, 2.0]])
    x.attach_grad()
    with autograd.record():
        y = outer(x)
    y.backward()
    assert np.allclose(x.grad.asnumpy(), np.exp([[1.0, 2.0]]))
    assert [name for name, _, _ in seen] == [b"net_product_0", b"net_result_0"]


@pytest.mark.plugins
def test_states_are_not_moved_twice():
    norms = [gluon.nn.BatchNorm(in_channels=2) for _ in range(2)]
    x = nd.array(np.random.rand(4, 2))
    for norm in norms:
        norm.initialize()
        norm.hybridize()
    norms[0].register_op_hook(lambda *shown: None)
    for norm in norms:
        with autograd.record():
            norm(x)
    means = [norm.running_mean.data().asnumpy() for norm in norms]
    assert np.array_equal(*means)
    assert isinstance(norms[0](x), mx.nd.NDArray)


@pytest.mark.plugins
def test_hidden_outputs_are_shown_where_a_gradient_may_read_them():
    net = gluon.nn.BatchNorm(in_channels=2, prefix="bn_")
    net.initialize()
    net.hybridize()
    seen = []
    net.register_op_hook(lambda name, operator, array: seen.append(name))
    net(nd.ones((4, 2)))
    assert seen == [b"bn_fwd_output"]
    seen.clear()
    with autograd.record():
        net(nd.ones((4, 2)))
    assert seen == [b"bn_fwd_output", b"bn_fwd_mean", b"bn_fwd_var"]
