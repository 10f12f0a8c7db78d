"""Quantized networks as ONNX: ONNX Runtime's results, and the operators that it fuses."""

import collections

import numpy as np
import onnx
import onnxruntime
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.contrib import quantization
from opforge.gluon import nn
from opforge.onnx import ExportError, export_model, import_to_gluon


class Residual(nn.HybridBlock):
    """Two convolutions with batch normalization around which the data passes."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(8, 3, padding=1, use_bias=False), nn.BatchNorm())
            self.body.add(nn.Activation("relu"), nn.Conv2D(8, 1), nn.BatchNorm())

    def hybrid_forward(self, F, x):
        return F.relu(x + self.body(x))


def quantized_network():
    """Return a quantized network and images."""
    mx.random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, activation="relu"), Residual(), nn.MaxPool2D())
    net.add(nn.Conv2D(8, 3, groups=8, padding=1), nn.GlobalAvgPool2D(), nn.Flatten())
    net.add(nn.Dense(10, activation="relu"), nn.Dense(5))
    net.initialize(mx.init.Xavier(magnitude=2))
    images = nd.random.uniform(-1, 1, shape=(16, 3, 14, 14))
    data = gluon.data.ArrayDataset(images, nd.zeros((16,)))
    examples = gluon.data.DataLoader(data, batch_size=4)
    net(images)
    return quantization.quantize_net(net, calib_data=examples, calib_mode="naive"), images


def kinds_of_nodes(path):
    """Return the types of the nodes that ONNX Runtime runs for a file."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.optimized_model_filepath = f"{path}.optimized"
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return collections.Counter([node.op_type for node in onnx.load(f"{path}.optimized").graph.node])


def test_results_and_fused_operators(run, tmp_path):
    net, images = quantized_network()
    net.hybridize()
    expected = net(images).asnumpy()
    net.export(str(tmp_path / "net"))
    parts = [str(tmp_path / name) for name in ("net-symbol.json", "net-0000.params")]
    path = export_model(*parts, [images.shape], ["float32"], str(tmp_path / "net.onnx"))
    (found,) = run(path, images.asnumpy())
    # A step of one layer's integers is a fraction of the largest result.
    limit = 0.02 * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=limit)
    np.testing.assert_allclose(import_to_gluon(path)(images).asnumpy(), expected, atol=limit)
    # The convolution before the sum has no range of its own, and stays one of real numbers.
    kinds = kinds_of_nodes(path)
    assert kinds["QLinearConv"] >= 3, kinds
    assert kinds["QGemm"] >= 1, kinds


def test_ranges_of_each_call_are_an_error(tmp_path):
    symbol = mx.sym.contrib.quantize_v2(mx.sym.var("data"))[0]
    with pytest.raises(ExportError, match="calibrate the network"):
        export_model(symbol, {}, [(2, 3)], ["float32"], str(tmp_path / "net.onnx"))


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("kind", [gluon.rnn.LSTM, gluon.rnn.GRU, gluon.rnn.RNN])
def test_recurrent_layers_store_integers(kind, bits, run, tmp_path):
    layer = kind(8, num_layers=2, bidirectional=True, input_size=6)
    layer.initialize(mx.init.Uniform(0.3))
    net = quantization.quantize_dynamic(layer, bits)
    net.hybridize()
    data = nd.random.normal(shape=(5, 3, 6))
    expected = net(data).asnumpy()
    path = str(tmp_path / "net.onnx")
    export_model(net, None, [data.shape], ["float32"], path)
    (found,) = run(path, data.asnumpy())
    # The nodes of ONNX do not round states to 8 bits.
    np.testing.assert_allclose(found, expected, atol=0.02)
    weights = [
        array.data_type for array in onnx.load(path).graph.initializer if len(array.dims) > 1
    ]
    # Groups of elements, the default of 4 bits, have no form in which they stay integers.
    has_integers = onnx.TensorProto.INT8 in weights
    assert has_integers == (bits == 8) and len(weights) >= 8
