"""Networks whose layers are single operators: accuracy, and layouts between the layers."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd, profiler
from opforge.contrib import quantization
from opforge.gluon import nn
from opforge.gluon.contrib.nn import HybridConcurrent

SHAPE = (2, 3, 20, 20)


class Residual(gluon.HybridBlock):
    """Two convolutions with a sum, whose other value may be a projection."""

    def __init__(self, channels, stride=1, projects=False):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(
                nn.Conv2D(channels, 3, stride, 1, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(channels, 3, 1, 1),
                nn.BatchNorm(),
            )
            self.other = nn.Conv2D(channels, 1, stride) if projects else None

    def hybrid_forward(self, F, x):
        other = self.other(x) if self.other else x
        return F.Activation(self.body(x) + other, act_type="relu")


class Inverted(gluon.HybridBlock):
    """An expansion, a convolution of separate channels and a projection, with a sum."""

    def __init__(self, channels, expanded):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(
                nn.Conv2D(expanded, 1, use_bias=False),
                nn.BatchNorm(),
                nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)),
                nn.Conv2D(expanded, 3, 1, 1, groups=expanded, use_bias=False),
                nn.BatchNorm(),
                nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)),
                nn.Conv2D(channels, 1),
            )

    def hybrid_forward(self, F, x):
        return self.body(x) + x


def residual_network():
    return [
        *(nn.Conv2D(16, 7, 2, 3), nn.BatchNorm(), nn.Activation("relu")),
        *(nn.MaxPool2D(3, 2, 1), Residual(16), Residual(40, 2, True), Residual(40)),
        *(nn.GlobalAvgPool2D(), nn.Dense(10)),
    ]


def mobile_network():
    return [
        *(nn.Conv2D(8, 3, 2, 1), nn.HybridLambda(lambda F, x: F.clip(x, 0, 6))),
        *(Inverted(8, 24), Inverted(8, 70), nn.GlobalAvgPool2D()),
        *(nn.Conv2D(10, 1, use_bias=False), nn.Flatten()),
    ]


def branching_network():
    both = HybridConcurrent(axis=1)
    both.add(
        nn.Conv2D(9, 1, activation="relu"),
        nn.Conv2D(20, 3, padding=1, activation="relu"),
        nn.AvgPool2D(3, 1, 1, count_include_pad=False),
    )
    return [
        *(nn.Conv2D(16, 3, activation="relu"), both, nn.Conv2D(8, 3, activation="relu")),
        *(nn.Flatten(), nn.Dense(32, activation="relu"), nn.Dense(10)),
    ]


def networks(make):
    """Return a network in float32, its quantized form and data."""
    mx.random.seed(5)
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(*make())
    net.initialize(mx.init.Xavier(magnitude=2))
    x = nd.random.uniform(-1, 1, shape=SHAPE)
    with autograd.record():  # averages of the normalization
        net(x)
    return net, quantization.quantize_net(net, calib_data=[x], calib_mode="naive"), x


MAKERS = [residual_network, mobile_network, branching_network]


@pytest.mark.parametrize("make", MAKERS)
def test_accuracy(make, tmp_path):
    net, found, x = networks(make)
    wanted, plain = net(x).asnumpy(), found(x).asnumpy()
    assert np.abs(plain - wanted).max() < 0.05 * np.abs(wanted).max()
    found.hybridize(static_alloc=True, static_shape=True)
    np.testing.assert_array_equal(found(x).asnumpy(), plain)
    found.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), "data", str(tmp_path / "net-0000.params")
    again = gluon.SymbolBlock.imports(*files)
    np.testing.assert_array_equal(again(x).asnumpy(), plain)


def calls_of(net, x, path):
    """Return how often each operator of a compiled network runs."""
    net.hybridize(static_alloc=True, static_shape=True)
    net(x).wait_to_read()
    profiler.set_config(profile_all=True, aggregate_stats=True, filename=str(path / "profile.json"))
    profiler.set_state("run")
    net(x).wait_to_read()
    profiler.set_state("stop")
    rows = [line.split() for line in profiler.dumps(reset=True).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 7 and row[1].isdigit()}


@pytest.mark.parametrize("make", MAKERS)
def test_layers_exchange_channels_last(make, tmp_path):
    _, found, x = networks(make)
    calls = calls_of(found, x, tmp_path)
    flattened = make is branching_network  # by a dense layer, whose order of weights is that of x
    assert calls["_block"] == 1, "the image"
    assert calls.get("_unblock", 0) == flattened
    assert calls["_int8_convolution"] > 3 and "elemwise_add" not in calls


WINDOWS = [
    {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
    {"kernel": (2, 3), "stride": (1, 2), "pooling_convention": "full"},
    {"kernel": (3, 2), "pad": (2, 1), "count_include_pad": False},
    {"kernel": (1, 1), "global_pool": True},
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("pool_type", ["avg", "max"])
@pytest.mark.parametrize("channels", [1, 63, 64, 300, 513])
def test_pooling_of_channels_last(channels, pool_type, dtype, window):
    limits = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(limits.min, limits.max + 1, (2, channels, 7, 8))
    low, high = nd.array([-1]), nd.array([2])
    options = {**window, "pool_type": pool_type}
    want = nd.contrib.quantized_pooling(nd.array(x, dtype=dtype), low, high, **options)[0]
    last = nd.array(x.transpose(0, 2, 3, 1)[:, None], dtype=dtype)
    got, *ends = nd.contrib.quantized_pooling(last, low, high, blocked=True, **options)
    np.testing.assert_array_equal(got.asnumpy()[:, 0].transpose(0, 3, 1, 2), want.asnumpy())
    assert [end.asscalar() for end in ends] == [-1, 2]
