"""MXNet's paths to names that stand elsewhere in opforge."""

import importlib
import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from opforge_mxnet import names
from opforge_mxnet.names.missing import MISSING
from opforge_mxnet.names.table import FUNCTIONS, MODULES, NAMES

import opforge

#: Paths that programs import, as pairs of MXNet's and opforge's own.
PATHS = [
    ("error.MXNetError", "base.MXNetError"),
    ("gluon.block.NDArray", "nd.NDArray"),
    ("gluon.block.Parameter", "gluon.Parameter"),
    ("gluon.contrib.nn.basic_layers.SyncBatchNorm", "gluon.contrib.nn.SyncBatchNorm"),
    ("gluon.data.vision.datasets.MNIST", "gluon.data.vision.MNIST"),
    ("gluon.model_zoo.vision.resnet.ResNetV1", "gluon.model_zoo.vision.ResNetV1"),
    ("gluon.nn.activations.LeakyReLU", "gluon.nn.LeakyReLU"),
    ("gluon.nn.basic_layers.Dense", "gluon.nn.Dense"),
    ("gluon.nn.conv_layers.Conv2D", "gluon.nn.Conv2D"),
    ("gluon.parameter.DeferredInitializationError", "gluon.DeferredInitializationError"),
    ("gluon.parameter.ParameterDict", "gluon.ParameterDict"),
    ("gluon.rnn.rnn_cell.LSTMCell", "gluon.rnn.LSTMCell"),
    ("gluon.rnn.rnn_layer.LSTM", "gluon.rnn.LSTM"),
    ("io.io.DataBatch", "io.DataBatch"),
    ("kvstore.kvstore.KVStore", "kvstore.KVStore"),
    ("metric.ndarray", "ndarray"),
    ("ndarray.ndarray.waitall", "nd.waitall"),
    ("ndarray.utils.load", "nd.load"),
    ("optimizer.optimizer.SGD", "optimizer.SGD"),
    ("optimizer.optimizer.register", "optimizer.register"),
    ("rnd.uniform", "random.uniform"),
    ("rnn.rnn_cell.LSTMCell", "rnn.LSTMCell"),
    ("symbol.symbol.var", "sym.var"),
]


def reach(path):
    value = opforge
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("mxnet", "own"), PATHS)
def test_names_are_the_same_objects(mxnet, own):
    assert reach(mxnet) is reach(own)


@pytest.mark.parametrize("path", MODULES)
def test_modules_are_imported_by_statement_and_by_attribute(path):
    module = importlib.import_module(f"opforge.{path}")
    assert module.__name__ == module.__spec__.name
    if path not in FUNCTIONS:
        assert reach(path) is module
    assert module.__all__ and set(module.__all__) == set(dir(module))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        module.nothing_of_the_kind  # noqa: B018 - the look-up is what is tested
    assert not hasattr(module, "__wrapped__")


@pytest.mark.parametrize("path", NAMES)
def test_each_row_of_the_table_is_there(path):
    module = importlib.import_module(f"opforge.{path}".rstrip("."))
    for source, parts in NAMES[path].items():
        for part in parts.split():
            assert getattr(module, part.partition("=")[0]) is not None, (source, part)


def test_a_module_with_the_name_of_a_function_can_be_called():
    code = (
        "from opforge.gluon.model_zoo.vision import alexnet; print(type(alexnet).__name__); "
        "from opforge.gluon.model_zoo.vision.alexnet import AlexNet; "
        "from opforge.gluon.model_zoo import vision; "
        "print(isinstance(vision.alexnet(classes=3), AlexNet), AlexNet is vision.AlexNet)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["function", "True", "True"]


INSTALL = "import opforge.mxnet as m; m.install(force=True); "


@pytest.mark.parametrize(
    "code",
    [
        "import opforge.optimizer.optimizer as o; o.SGD",
        "from opforge.gluon.rnn.rnn_cell import RNNCell",
        "import opforge; opforge.io.io.DataDesc",
        "import opforge; opforge.gluon.block.Block",
        "import opforge; opforge.gluon.parameter.DeferredInitializationError",
        "from opforge.gluon.nn.basic_layers import *; Dense",
        "from opforge.gluon.model_zoo.vision.alexnet import AlexNet",
        f"{INSTALL}import mxnet as mx; mx.gluon.block.Block",
        f"{INSTALL}import mxnet.optimizer.optimizer",
        f"{INSTALL}import mxnet.gluon.rnn.rnn_cell as c; c.LSTMCell",
        f"{INSTALL}import mxnet, multiprocessing; multiprocessing.pool.ThreadPool",
    ],
)
def test_a_fresh_process_finds_them(code):
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_loads_none_of_them():
    code = "import opforge, sys; print([m for m in sys.modules if 'mxnet' in m])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_metadata_name_the_modules_and_the_table():
    own = {
        point.name: point.value
        for point in entry_points(group="opforge.modules")
        if point.value.startswith("opforge_mxnet.names.")
    }
    assert own == names.alias_modules()
    (table,) = entry_points(group="opforge.aliases", name="mxnet")
    assert table.load() is names.ALIASES


def test_without_the_plugin_the_core_lacks_the_names():
    code = (
        "import opforge; from opforge.gluon import block; "
        "print(hasattr(block, 'Parameter'), hasattr(opforge, 'use_np'), hasattr(block, 'Block'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "OPFORGE_PLUGINS": "none"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "False False True"


@pytest.mark.parametrize(
    "line",
    [
        "import mxnet.contrib.onnx.onnx2mx",
        "from mxnet.contrib.onnx import onnx2mx",
        "mx.contrib.onnx.onnx2mx",
        "mx.kvstore.KVStoreServer",
        "from mxnet.profiler import set_kvstore_handle",
    ],
)
def test_missing_names_are_explained(line):
    """By an attribute, an import statement and a from-import alike."""
    opforge.mxnet.install(force=True)
    try:
        with pytest.raises(
            (AttributeError, ImportError),
            match=r"MXNet 1.9.1 has it, opforge does not yet; docs/reference/mxnet-api.md",
        ):
            exec(line, {"mx": opforge})
    finally:
        opforge.mxnet.uninstall()


@pytest.mark.parametrize(
    ("path", "name"), [(path, name) for path, row in MISSING.items() for name in row.split()]
)
def test_only_missing_names_are_explained(path, name):
    """The table is generated; if this fails, run ``python scripts/mxnet_missing.py``."""
    module = importlib.import_module(f"opforge.{path}".rstrip("."))
    with pytest.raises(AttributeError, match=r"MXNet 1\.9\.1 has it"):
        getattr(module, name)


@pytest.mark.plugins
def test_sizes_of_the_model_zoo_are_at_mxnets_paths():
    from opforge.gluon.model_zoo.vision.densenet import densenet_spec
    from opforge.gluon.model_zoo.vision.resnet import (
        resnet_block_versions,
        resnet_net_versions,
        resnet_spec,
    )
    from opforge.gluon.model_zoo.vision.vgg import vgg_spec

    for depth, (kind, layers, channels) in resnet_spec.items():
        for version, blocks in zip(resnet_net_versions, resnet_block_versions, strict=True):
            net = version(blocks[kind], layers, channels, classes=10)
            assert depth == 2 + sum(layers) * {"basic_block": 2, "bottle_neck": 3}[kind]
            assert type(net) is version
    assert sorted(depth - sum(layers) for depth, (layers, _) in vgg_spec.items()) == [3] * 4
    assert {depth: 2 * sum(layers) + 5 for depth, (_, _, layers) in densenet_spec.items()} == {
        depth: depth for depth in densenet_spec
    }


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("attribute", "string_types"),
        ("autograd", "check_call"),
        ("gluon.loss", "is_np_array"),
        ("lr_scheduler", "pi"),
        ("ndarray.random", "numeric_types"),
        ("ndarray.ndarray", "split_v2"),
        ("random", "integer_types"),
        ("ndarray.ndarray", "py_slice"),
        ("symbol.symbol", "SymbolHandle"),
    ],
)
def test_names_that_modules_of_mxnet_import(path, name):
    assert getattr(importlib.import_module(f"opforge.{path}"), name) is not None
