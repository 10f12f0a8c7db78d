import json
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from opforge import exporter, nd, sym
from opforge.cli.app import app
from opforge.gluon import nn
from opforge.onnx import ExportError, ImportModelError


def command(*arguments):
    return CliRunner().invoke(app, ["model", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(2, 3, in_channels=1, activation="relu"), nn.Dense(3, in_units=8))
    net.initialize()
    net.hybridize()
    x = nd.random.normal(shape=(2, 1, 4, 4))
    net(x)
    net.export(str(tmp_path / "net"))
    np.save(tmp_path / "x.npy", x.asnumpy())
    return tmp_path


@pytest.mark.keeps_memory
def test_layers_are_compared_between_opforge_and_onnx_runtime(folder):
    graph, file, x = folder / "net-symbol.json", folder / "net.onnx", folder / "x.npy"
    done = command("convert", graph, file, "--shape", "data=2,1,4,4")
    assert done.exit_code == 0, done.output
    done = command("compare", graph, file, "--input", x)
    assert done.exit_code == 0, done.output
    for layer in ("net_conv0_fwd_output", "net_conv0_relu_fwd_output", "net_dense0_fwd_output"):
        assert layer in done.output
    command("convert", graph, folder / "other-symbol.json")
    params = nd.load(str(folder / "other-0000.params"))
    nd.save(
        str(folder / "other-0000.params"),
        {
            name: array * (2 if name.endswith("dense0_weight") else 1)
            for name, array in params.items()
        },
    )
    done = command("compare", folder / "other-symbol.json", file, "--input", x)
    assert done.exit_code == 1
    assert "The first difference is in net_dense0_fwd_output." in done.output


@pytest.mark.keeps_memory
def test_a_file_is_run_and_converted_back(folder):
    graph, file, x = folder / "net-symbol.json", folder / "net.onnx", folder / "x.npy"
    command("convert", graph, file, "--shape", "data=2,1,4,4")
    results = []
    for source in (graph, file):
        done = command("run", source, "--input", f"data={x}", "--output", folder / "y.npz")
        assert done.exit_code == 0, done.output
        results.append(np.load(folder / "y.npz")["net_dense0_fwd_output"])
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-6)
    assert command("convert", file, folder / "back-symbol.json").exit_code == 0
    assert command("compare", graph, folder / "back-symbol.json", "--input", x).exit_code == 0


def test_a_shape_is_needed(folder):
    done = command("convert", folder / "net-symbol.json", folder / "net.onnx")
    assert done.exit_code == 1 and "the shape of the input 'data' is unknown" in done.output


def test_files_that_cannot_be_read_or_run(tmp_path, monkeypatch):
    path = tmp_path / "net.onnx"
    path.write_bytes(b"text")
    found = exporter.create("onnx")
    with pytest.raises(ImportModelError, match="is no valid ONNX file"):
        found.load(path)
    with pytest.raises(ImportModelError, match="is no valid ONNX file"):
        found.run(path, {})
    found.export(sym.exp(sym.var("x", shape=(2,))), {}, path)
    with pytest.raises(ImportModelError, match=r"ONNX Runtime rejects .*net.onnx"):
        found.run(path, {"z": np.zeros(2, "float32")})
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(exporter.ProgramMissingError, match="pip install onnxruntime"):
        found.run(path, {})
    with pytest.raises(ExportError, match="shape of the input 'x' is unknown"):
        found.export(sym.exp(sym.var("x")), {}, path)


def test_types_follow_declarations_and_weights(tmp_path):
    found, path = exporter.create("onnx"), tmp_path / "net.onnx"
    data = sym.var("x", shape=(2, 3), dtype="int32")
    found.export(sym.cast(data, dtype="float32", name="c"), {}, path)
    assert found.run(path, {"x": np.ones((2, 3), "int32")}).keys() == {"c_output"}
    weight = nd.ones((4, 3), dtype="float16")
    net = sym.FullyConnected(sym.var("x", shape=(2, 3)), num_hidden=4, no_bias=True, name="fc")
    found.export(net, {"fc_weight": weight}, path)
    assert found.run(path, {"x": np.ones((2, 3), "float16")})["fc_output"].dtype == np.float16


@pytest.mark.keeps_memory
def test_predictions_are_measured_against_onnx_runtime(folder):
    graph, file = folder / "net-symbol.json", folder / "net.onnx"
    command("convert", graph, file, "--shape", "data=2,1,4,4")
    options = ("--against", "onnxruntime", "--seconds", "0.01", "--threads", "1", "--json")
    for source, shape in ((graph, ("--shape", "data=2,1,4,4")), (file, ())):
        done = command("bench", source, *shape, *options)
        assert done.exit_code == 0, done.output
        report = json.loads(done.output)
        assert list(report["engines"]) == ["opforge", "onnxruntime"]
        assert report["inputs"]["data"]["shape"] == [2, 1, 4, 4]
        assert report["difference"] < 1e-5


def test_sessions(tmp_path, monkeypatch):
    found, path = exporter.create("onnx"), tmp_path / "net.onnx"
    found.export(sym.exp(sym.var("x", shape=(2,))), {}, path)
    predict = found.open_session(path, 1)
    (result,) = predict({"x": np.zeros(2, "float32"), "label": np.zeros(2, "float32")})
    assert result.tolist() == [1, 1]
    path.write_bytes(b"text")
    with pytest.raises(ImportModelError, match=r"ONNX Runtime rejects .*net.onnx"):
        found.open_session(path, 1)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(exporter.ProgramMissingError, match="pip install onnxruntime"):
        found.open_session(path, 1)
