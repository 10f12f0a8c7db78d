import io
import subprocess
import sys

import numpy as np
import pytest

from opforge import gluon, nd, sym
from opforge.tensorboard import SummaryWriter


@pytest.fixture
def written(tmp_path, read_events):
    """Return a function that writes with ``action(writer)`` and reads the file."""

    def write(action):
        with SummaryWriter(tmp_path) as writer:
            action(writer)
        return read_events()

    return write


def tensors(events, tag):
    from tensorboard.util import tensor_util

    return [tensor_util.make_ndarray(event.tensor_proto) for event in events.Tensors(tag)]


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), nd.array([0.25]), np.array([[0.25]])])
def test_scalars(written, value):
    def write(writer):
        writer.add_scalar("train/loss", value, 3)
        writer.add_scalar("train/loss", 1, 4)

    events = written(write)
    assert [event.step for event in events.Tensors("train/loss")] == [3, 4]
    assert tensors(events, "train/loss") == [0.25, 1]


def test_histograms_have_the_finite_values(written):
    values = nd.array([0, 1, 1, 2, np.inf, np.nan])
    events = written(lambda writer: writer.add_histogram("weights", values, 2, buckets=2))
    (found,) = tensors(events, "weights")
    np.testing.assert_allclose(found, [[0, 1, 1], [1, 2, 3]])


@pytest.mark.parametrize(
    ("shape", "layout", "size"),
    [
        ((4, 6), "CHW", (4, 6)),
        ((3, 4, 6), "CHW", (4, 6)),
        ((4, 6, 1), "HWC", (4, 6)),
        ((5, 3, 4, 6), "CHW", (8, 18)),
        ((2, 4, 6, 3), "HWC", (4, 12)),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_images(written, shape, layout, size, dtype):
    image = pytest.importorskip("PIL.Image")
    values = np.random.default_rng(0).integers(0, 256, shape)
    given = nd.array(values if dtype == "uint8" else values / 255, dtype=dtype)
    events = written(lambda writer: writer.add_image("sample", given, 1, layout))
    (event,) = events.Images("sample")
    assert (event.height, event.width) == size
    pixels = np.asarray(image.open(io.BytesIO(event.encoded_image_string)))
    first = values if len(shape) < 4 else values[0]
    first = np.moveaxis(first, 0, -1) if layout == "CHW" and first.ndim == 3 else first
    np.testing.assert_array_equal(pixels[:4, :6], first.squeeze())


@pytest.mark.parametrize(
    ("shape", "layout", "message"),
    [
        ((2, 4, 6), "CHW", r"shape \(1, 4, 6, 2\)|expected height and width, 1 or 3 channels"),
        ((3,), "CHW", "expected height and width"),
        ((3, 0, 6), "CHW", "expected height and width"),
        ((3, 4, 6), "NCHW", "expected 'CHW' or 'HWC'"),
    ],
)
def test_other_shapes_are_errors(tmp_path, shape, layout, message):
    with SummaryWriter(tmp_path) as writer, pytest.raises(ValueError, match=message):
        writer.add_image("sample", np.zeros(shape), layout=layout)


def test_text_and_hyperparameters(written):
    from tensorboard.plugins.hparams import metadata

    def write(writer):
        writer.add_text("note", "**first**")
        writer.add_hparams({"rate": 0.1, "optimizer": "adam", "sizes": (3, 4), "fast": True})

    events = written(write)
    assert tensors(events, "note") == [b"**first**"]
    content = events.SummaryMetadata(metadata.SESSION_START_INFO_TAG).plugin_data.content
    found = metadata.parse_session_start_info_plugin_data(content).hparams
    assert (found["rate"].number_value, found["optimizer"].string_value) == (0.1, "adam")
    assert (found["sizes"].string_value, found["fast"].bool_value) == ("(3, 4)", True)


def graph(events):
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    made = events.Graph()
    assert isinstance(made, GraphDef)
    return {node.name: node for node in made.node}


def test_nodes_of_a_block_are_grouped_by_layer(written):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(4, activation="relu"), gluon.nn.Dense(2))
    net.initialize()
    nodes = graph(written(lambda writer: writer.add_graph(net, nd.ones((1, 3)))))
    assert nodes["net/dense0/weight"].op == "Variable"
    assert nodes["net/dense0/fwd"].op == "FullyConnected"
    assert list(nodes["net/dense1/fwd"].input) == [
        "net/dense0/relu/fwd",
        "net/dense1/weight",
        "net/dense1/bias",
    ]
    assert nodes["net/dense1/fwd"].attr["num_hidden"].s == b"2"


def test_graph_of_a_symbol(written):
    both = sym.split(sym.var("x"), 2, name="halves")
    nodes = graph(written(lambda writer: writer.add_graph(both[0] + both[1])))
    assert [list(node.input) for node in nodes.values()] == [
        [],
        ["x"],
        ["halves", "halves:1"],
    ]


def test_other_objects_have_no_graph(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match="got list, expected a Symbol"):
            writer.add_graph([])
        with pytest.raises(TypeError, match="got Sequential, expected a Symbol or a HybridBlock"):
            writer.add_graph(gluon.nn.Sequential(), nd.ones(1))


def test_the_package_is_optional():
    program = """
import sys
sys.modules["tensorboard"] = None
from opforge.tensorboard import SummaryWriter
try:
    SummaryWriter("unused")
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert "pip install 'opforge-estimator[tensorboard]'" in done.stdout


def test_neither_tensorflow_nor_pytorch_is_loaded(tmp_path):
    program = """
import sys
from opforge import nd
from opforge.tensorboard import SummaryWriter
with SummaryWriter(sys.argv[1]) as writer:
    writer.add_scalar("a", 1)
    writer.add_histogram("b", nd.ones(3))
    writer.add_hparams({"c": 1})
print({"tensorflow", "torch"} & set(sys.modules))
"""
    arguments = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
