"""Models in mixed precision compute what they did, within the rounding of 16-bit floats."""

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, init, nd, sym
from opforge.contrib import amp
from opforge.gluon import nn

pytestmark = pytest.mark.plugins


def network():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(5))
    net.initialize(init.Normal(0.3))
    return net


def data():
    return nd.array(np.random.default_rng(0).uniform(-1, 1, (2, 3, 6, 6)))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-2), ("bfloat16", 0.1)])
@pytest.mark.parametrize("optional", [False, True])
def test_a_block(optional, dtype, tolerance):
    net, x = network(), data()
    net.hybridize()
    want = net(x).asnumpy()
    made = amp.convert_hybrid_block(net, dtype, cast_optional_params=optional)
    have = made(x)
    assert have.dtype == np.float32
    np.testing.assert_allclose(have.asnumpy(), want, rtol=tolerance, atol=tolerance)
    assert not np.array_equal(have.asnumpy(), want)
    found = {name: p.dtype for name, p in made.collect_params().items()}
    narrow = nd.zeros(1, dtype=dtype if optional else "float32").dtype
    assert found["net_conv0_weight"] == narrow and found["net_dense0_bias"] == narrow
    assert found["net_batchnorm0_gamma"] == found["net_batchnorm0_running_var"] == np.float32
    with autograd.record():
        made(x).sum().backward()
    assert made.collect_params()["net_dense0_bias"].grad().dtype == narrow


def test_a_block_must_have_been_called():
    with pytest.raises(RuntimeError, match="run forward"):
        amp.convert_hybrid_block(network())
    with pytest.raises(AssertionError, match="HybridBlock"):
        amp.convert_hybrid_block(gluon.Block())


def test_graph_and_parameters():
    y = sym.SoftmaxOutput(sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc"), name="s")
    rng = np.random.default_rng(1)
    args = {"fc_weight": nd.array(rng.uniform(-1, 1, (3, 4))), "fc_bias": nd.zeros(3)}
    made, params, states = amp.convert_model(y, args, {}, cast_optional_params=True)
    assert {array.dtype for array in params.values()} == {np.float16} and states == {}
    assert args["fc_weight"].dtype == np.float32
    x, label = nd.array(rng.uniform(-1, 1, (2, 4))), nd.zeros(2)
    want = y.bind(cpu(), {**args, "x": x, "s_label": label}).forward()[0]
    have = made.bind(cpu(), {**params, "x": x, "s_label": label}).forward()[0]
    np.testing.assert_allclose(have.asnumpy(), want.asnumpy(), rtol=1e-2, atol=1e-3)
    with pytest.raises(AssertionError, match="Second argument"):
        amp.convert_model(y, None, {})
