"""Conversion of saved networks to 8-bit integers, and its report."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import opforge as mx
from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.cli.app import app
from opforge.cli.networks.files import read
from opforge.cli.networks.quantizing import examples_of
from opforge.gluon import nn

pytestmark = pytest.mark.plugins


@pytest.fixture
def saved(tmp_path):
    mx.random.seed(0)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(8, 3, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
        net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    images = np.random.default_rng(0).normal(size=(10, 3, 8, 8)).astype("float32")
    labels = net(nd.array(images)).asnumpy().argmax(axis=1)
    net.export(str(tmp_path / "net"))
    np.save(tmp_path / "x.npy", images)
    np.save(tmp_path / "y.npy", labels)
    return tmp_path


def quantize(folder, *arguments, target="small-symbol.json"):
    source = folder / "net-symbol.json"
    found = ["model", "quantize", source, folder / target, *arguments]
    return CliRunner().invoke(app, [*map(str, found)])


@pytest.mark.parametrize("mode", ["naive", "entropy"])
def test_the_files_and_the_report(saved, mode):
    done = quantize(
        *(saved, "--calibrate", saved / "x.npy", "--labels", saved / "y.npy"),
        *("--mode", mode, "--batch", "4", "--json"),
    )
    assert done.exit_code == 0, done.output
    report = json.loads(done.output)
    assert report["examples"] == 10 and report["bytes"][1] < report["bytes"][0]
    assert min(report["ms"]) > 0 and report["accuracy"][0] == 1
    assert report["accuracy"][1] == report["agreement"] >= 0.8
    assert [name for name in report["layers"] if "pool" not in name and "flat" not in name] == [
        *("net_relu0_fwd", "net_dense0_fwd")
    ]
    assert 0 < max(report["layers"].values()) < 0.1
    small = read(saved / "small-symbol.json")
    assert {"_int8_convolution", "_int8_dense"} <= {
        node["op"] for node in json.loads(small.symbol.tojson())["nodes"]
    }
    assert np.dtype(small.params["net_conv0_weight_int8"].dtype) == np.int8


def test_the_tables(saved):
    done = quantize(saved, "--calibrate", f"data={saved / 'x.npy'}", "--exclude", "net_dense0_fwd")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert ["layer", "error"] in lines and any(line[:1] == ["net_relu0_fwd"] for line in lines)
    assert not any(line[:1] == ["net_dense0_fwd"] for line in lines)
    assert (
        "The largest output is the same for" in done.output and "small-0000.params" in done.output
    )


def test_other_formats(saved):
    pytest.importorskip("onnx")
    done = quantize(saved, "--calibrate", saved / "x.npy", target="small.onnx")
    assert done.exit_code == 0, done.output
    assert (saved / "small.onnx").stat().st_size > 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--mode", "fast"], "--mode fast: expected entropy or naive"),
        (["--exclude", "acme"], "--exclude acme: the model has no node of this name"),
        (["--labels", "missing.npy"], "--labels missing.npy is not an array of NumPy"),
    ],
)
def test_errors(saved, arguments, text):
    done = quantize(saved, "--calibrate", saved / "x.npy", *arguments)
    assert done.exit_code == 1 and text in done.output and "Traceback" not in done.output


def test_numbers_of_examples(saved):
    network = read(saved / "net-symbol.json")
    np.save(saved / "y.npy", np.zeros(3))
    for inputs, labels, text in (
        ({}, None, "pass --calibrate NAME=FILE.npy for data"),
        ({"data": np.zeros((0, 3, 8, 8))}, None, "numbers of examples: data 0"),
        ({"data": np.zeros((2, 3, 8, 8))}, saved / "y.npy", "data 2, --labels 3"),
    ):
        with pytest.raises(OpforgeError, match=text):
            examples_of(inputs, network, labels)
