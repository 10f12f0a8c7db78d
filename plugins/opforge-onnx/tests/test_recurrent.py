"""Recurrent layers in ONNX Runtime, and imported again."""

import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd, sym
from opforge.onnx import ExportError, export_model, import_to_gluon

LAYERS = {
    "gru": (gluon.rnn.GRU, {}),
    "lstm": (gluon.rnn.LSTM, {}),
    "relu": (gluon.rnn.RNN, {"activation": "relu"}),
    "tanh": (gluon.rnn.RNN, {"activation": "tanh"}),
}


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.parametrize("kind", LAYERS)
def test_layers_of_gluon(kind, layout, bidirectional, run, tmp_path):
    mx.random.seed(1)
    layer, settings = LAYERS[kind]
    net = layer(4, num_layers=2, bidirectional=bidirectional, layout=layout, **settings)
    net.initialize(mx.init.Uniform(0.5))
    path = export_model(
        net,
        in_shapes=[(5, 3, 6)],
        onnx_file_path=tmp_path / "m.onnx",
        dynamic=True,
        dynamic_input_shapes=[("first", "second", 6)],
    )
    again = import_to_gluon(path)
    for shape in ((5, 3, 6), (7, 2, 6), (1, 1, 6)):
        x = nd.random.normal(shape=shape)
        want = net(x).asnumpy()
        np.testing.assert_allclose(run(path, x.asnumpy())[0], want, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(again(x).asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_states_and_lengths(run, tmp_path):
    size, channels, layers = 3, 2, 2
    count = 4 * size * (channels + size + 2) + 4 * size * (size + size + 2)
    generator = np.random.default_rng(0)
    arrays = {
        "data": generator.standard_normal((4, 3, channels)),
        "state": generator.standard_normal((layers, 3, size)),
        "cell": generator.standard_normal((layers, 3, size)),
        "length": np.array([4, 1, 2]),
    }
    arrays = {name: array.astype("float32") for name, array in arrays.items()}
    packed = generator.uniform(-0.5, 0.5, count).astype("float32")
    out = sym.RNN(
        sym.var("data"),
        sym.var("parameters"),
        sym.var("state"),
        sym.var("cell"),
        sym.var("length"),
        state_size=size,
        num_layers=layers,
        mode="lstm",
        state_outputs=True,
        use_sequence_length=True,
    )
    shapes = [array.shape for array in arrays.values()]
    params = {"parameters": nd.array(packed)}
    path = export_model(out, params, shapes, onnx_file_path=tmp_path / "m.onnx")
    given = {name: nd.array(array) for name, array in arrays.items()} | params
    for one, other in zip(
        run(path, *arrays.values()), out.bind(mx.cpu(), given).forward(), strict=True
    ):
        np.testing.assert_allclose(one, other.asnumpy(), rtol=1e-5, atol=1e-6)


def test_parameters_must_be_weights(tmp_path):
    out = sym.RNN(
        sym.var("x"), sym.var("w") * 2, sym.var("h"), state_size=1, num_layers=1, mode="gru"
    )
    with pytest.raises(ExportError, match="parameters are computed by the graph"):
        export_model(out, {}, [(2, 1, 1), (12,), (1, 1, 1)], onnx_file_path=tmp_path / "m.onnx")


def test_projection_has_no_equivalent(tmp_path):
    net = gluon.rnn.LSTM(4, projection_size=2, input_size=3)
    net.initialize()
    with pytest.raises(ExportError, match="projection has no equivalent"):
        export_model(net, in_shapes=[(2, 1, 3)], onnx_file_path=tmp_path / "m.onnx")
