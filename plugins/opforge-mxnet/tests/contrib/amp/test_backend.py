"""The subgraph backend AMP, and `amp.init("bfloat16")`, which applies it to hybridized blocks."""

import numpy as np
import pytest

from opforge import autograd, gluon, init, nd
from opforge.contrib import amp
from opforge.gluon import HybridBlock, nn

pytestmark = pytest.mark.plugins


@pytest.fixture
def bfloat16(monkeypatch):
    """Enable mixed precision for one test."""
    for name in ("_amp_initialized", "_scales"):
        monkeypatch.setattr(amp.amp, name, name == "_scales")
    monkeypatch.setattr(HybridBlock, "_common_backends", ())
    amp.init("bfloat16")


def network():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(20, 3, in_channels=3), nn.BatchNorm(in_channels=20))
        net.add(nn.Activation("relu"), nn.Dense(5, in_units=20 * 36))
    net.initialize(init.Normal(0.3))
    return net


def data():
    return nd.array(np.random.default_rng(0).uniform(-1, 1, (2, 3, 8, 8)))


def casts(net):
    nodes = net._graph.last_trace().symbol.nodes()
    return [node.name for node in nodes if node.operation and node.operation.name == "amp_cast"]


def test_a_block_with_the_backend_computes_in_bfloat16():
    net, x = network(), data()
    want = net(x).asnumpy()
    net.hybridize(backend="AMP", excluded_sym_names=["net_dense0_fwd"])
    have = net(x)
    assert have.dtype == np.float32
    np.testing.assert_allclose(have.asnumpy(), want, rtol=0.05, atol=0.05)
    assert not np.array_equal(have.asnumpy(), want)
    assert "net_conv0_weight_amp_cast_bfloat16" in casts(net)
    assert "net_dense0_weight_amp_cast_bfloat16" not in casts(net)


def test_parameters_and_gradients_are_float32():
    net, x = network(), data()
    net.hybridize(backend="AMP")
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    weight = net[0].weight
    assert weight.dtype == np.float32 and weight.grad().dtype == np.float32
    plain = network()
    for one, other in zip(
        plain.collect_params().values(), net.collect_params().values(), strict=True
    ):
        one.set_data(other.data())
    with autograd.record():
        loss = (plain(x) ** 2).sum()
    loss.backward()
    want = plain[0].weight.grad().asnumpy()
    np.testing.assert_allclose(weight.grad().asnumpy(), want, atol=0.05 * abs(want).max())


def test_other_dtypes_are_rejected():
    with pytest.raises(ValueError, match="target_dtype is 'int8', expected 'float16' or 'bf"):
        network().hybridize(backend="AMP", target_dtype="int8")


def test_init_converts_all_hybridized_blocks(bfloat16):
    net, x = network(), data()
    want = net(x).asnumpy()  # imperative
    net.hybridize()
    assert not np.array_equal(net(x).asnumpy(), want)
    assert "net_dense0_weight_amp_cast_bfloat16" in casts(net)
    before = casts(net)
    assert casts_of_block(amp.convert_hybrid_block(net, "bfloat16"), x) == before


def casts_of_block(net, x):
    net(x)
    return casts(net)


def test_losses_of_bfloat16_are_not_scaled(bfloat16):
    net, x = network(), data()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    amp.init_trainer(trainer)
    with autograd.record():
        loss = (net(x) ** 2).mean()
        with amp.scale_loss(loss, trainer) as scaled:
            autograd.backward(scaled)
    assert scaled.asscalar() == loss.asscalar()
    before = net[0].weight.data().asnumpy()
    trainer.step(1)
    assert not np.array_equal(net[0].weight.data().asnumpy(), before)
