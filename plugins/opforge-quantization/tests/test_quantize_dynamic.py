"""`quantize_dynamic`: dense layers of networks get weights of 8 or 4 bits."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from opforge import gluon, init, nd
from opforge.contrib.quantization import QuantizedDense, quantize_dynamic
from opforge.gluon import nn


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(64, activation="relu", in_units=40), nn.Dense(10, in_units=64, use_bias=False))
    net.initialize(init.Xavier())
    return net


def data(*shape):
    return nd.array(np.random.default_rng(0).normal(size=shape))


def relative_error(got, want):
    return float(np.abs(got - want).asnumpy().max() / np.abs(want.asnumpy()).max())


@pytest.mark.parametrize(("bits", "bound"), [(8, 0.02), (4, 0.2)])
@pytest.mark.parametrize("hybridized", [False, True])
def test_a_network_computes_nearly_the_same(hybridized, bits, bound):
    net, x = mlp(), data(5, 40)
    if hybridized:
        net.hybridize()
    want = net(x)
    assert quantize_dynamic(net, bits) is net
    assert [type(layer) for layer in net] == [QuantizedDense] * 2
    assert 0 < relative_error(net(x), want) < bound
    net.hybridize()
    assert relative_error(net(x), want) < bound


def test_a_single_layer_and_its_names():
    layer = nn.Dense(3, in_units=4, prefix="fc_")
    layer.initialize(init.Normal(1))
    made = quantize_dynamic(layer)
    assert type(made) is QuantizedDense
    assert list(made.collect_params()) == ["fc_weight", "fc_scale", "fc_bias"]
    want = layer.weight.data().asnumpy()
    np.testing.assert_allclose(made.dequantized_weight(), want, atol=np.abs(want).max() / 200)
    assert repr(made) == "QuantizedDense(4 -> 3, linear, 8 bits)"


def test_excluded_layers_stay():
    net = mlp()
    first = net[0].name
    quantize_dynamic(net, exclude=[first])
    assert [type(layer) for layer in net] == [nn.Dense, QuantizedDense]
    quantize_dynamic(net, exclude=lambda name: name == first)
    assert type(net[0]) is nn.Dense


def test_dense_layers_need_no_plugin_of_recurrent_ones():
    program = """
from opforge.contrib.quantization import quantize_dynamic
from opforge.gluon import nn

net = nn.HybridSequential()
net.add(nn.Dense(2, in_units=3))
net.initialize()
print(type(quantize_dynamic(net)[0]).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "OPFORGE_PLUGINS": "-opforge-recurrent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("QuantizedDense\n", 0), done.stderr


class Lists(gluon.HybridBlock):
    """A block that keeps its children in an attribute and in a list."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.first = nn.Dense(8, in_units=8)
            self.layers = [nn.Dense(8, in_units=8), self.first]
            for layer in self.layers:
                self.register_child(layer)

    def hybrid_forward(self, F, x):
        for layer in self.layers:
            x = layer(x)
        return x


def test_attributes_and_lists_refer_to_the_new_layers():
    net = Lists()
    net.initialize(init.Normal(1))
    want = net(data(2, 8))
    quantize_dynamic(net)
    assert all(type(layer) is QuantizedDense for layer in [net.first, *net.layers])
    assert net.first is net.layers[1]
    assert relative_error(net(data(2, 8)), want) < 0.03


def test_layers_that_share_a_weight_share_it_again():
    net = nn.HybridSequential()
    first = nn.Dense(8, in_units=8)
    net.add(first, nn.Dense(8, in_units=8, params=first.params))
    net.initialize(init.Normal(1))
    quantize_dynamic(net)
    assert net[0].weight is net[1].weight and len(net.collect_params()) == 3
    net(data(1, 8))


def test_files_copies_and_pickles(tmp_path):
    net, x = quantize_dynamic(mlp(), 4), data(3, 40)
    want = net(x).asnumpy()
    net.save_parameters(str(tmp_path / "net.params"))
    again = quantize_dynamic(mlp(), 4)
    again.load_parameters(str(tmp_path / "net.params"))
    for found in (again, copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        np.testing.assert_array_equal(found(x).asnumpy(), want)
    net.hybridize()
    net(x)
    prefix = str(tmp_path / "net")
    net.export(prefix)
    imported = gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0000.params")
    np.testing.assert_allclose(imported(x).asnumpy(), want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("bits", [8, 4])
def test_decoders_keep_their_caches(bits):
    attention = nn.MultiHeadAttention(64, num_heads=4, causal=True)
    attention.initialize(init.Xavier())
    x = data(1, 6, 64)
    want = attention(x)
    quantize_dynamic(attention, bits)
    got = attention(x)
    assert relative_error(got, want) < 0.2
    cache = attention.begin_cache(1)
    steps = [attention.step(x[:, i : i + 1], cache) for i in range(6)]
    assert relative_error(nd.concat(*steps, dim=1), got) < 1e-4


def test_layers_that_cannot_be_quantized_raise():
    with pytest.raises(ValueError, match="bits is 5; expected 8 or 4"):
        quantize_dynamic(mlp(), 5)
    net = mlp()
    net.cast("float16")
    with pytest.raises(ValueError, match=r"has type float16; expected float32. Call net.cast"):
        quantize_dynamic(net)
    net = mlp()
    net[0].weight.set_data(net[0].weight.data() * np.inf)
    with pytest.raises(ValueError, match="has numbers that are not finite"):
        quantize_dynamic(net)
