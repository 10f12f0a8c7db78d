"""Data of the tutorials: pictures in folders, names of classes, small networks in files."""

import json
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import opforge
from made_up.formats import encoded, picture, records, tarred, vocabulary

#: A module that a tutorial downloads: it puts pictures of flowers into folders.
FLOWERS = '''"""Put pictures of flowers into folders."""

import tarfile

import mxnet as mx


def get_data(path):
    archive = mx.test_utils.download("http://data.mxnet.io/102flowers.tgz", dirname=path)
    with tarfile.open(archive) as files:
        files.extractall(path)
'''

#: A module that tutorials of ONNX download: it names the most probable classes.
PLOTS = '''"""Print the most probable classes of pictures."""


def plot_predictions(images, results, categories, top):
    for image, result in zip(images, results):
        for index in result.argsort()[::-1][:top]:
            print(image.shape, categories[index], "%.4f" % result[index])
'''


def class_names(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield names of a thousand classes."""
    words = vocabulary(rng, 1000)
    yield "synset.txt", "".join(f"n{i:08} {word}\n" for i, word in enumerate(words)).encode()
    yield "image_net_labels.json", json.dumps(words).encode()


def pictures(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield photographs, archives of photographs in folders, and a record file."""
    for name in ("apron", "dolphin", "hammerheadshark", "lotus", "wrench"):
        yield f"images/{name}.jpg", encoded(picture(rng, 240, 320), "JPEG")
    for name in ("0", "365px-Golden_Retriever_medium-to-light-coat", "super_res_input"):
        yield f"{name}.jpg", encoded(picture(rng, 300, 365), "JPEG")

    def photographs(count: int, height: int, width: int) -> list[bytes]:
        return [encoded(picture(rng, height, width), "JPEG") for _ in range(count)]

    few = photographs(40, 60, 80)
    objects = {}
    counts = {"airplanes": 400, "dolphin": 400, "lotus": 120, "wrench": 120}
    for number, (name, count) in enumerate(counts.items()):
        for i in range(count):
            objects[f"101_ObjectCategories/{name}/image_{i:04}.jpg"] = few[10 * number + i % 10]
        for i in range(10):
            objects[f"101_ObjectCategories_test/{name}/image_{i:04}.jpg"] = few[10 * number + i]
    yield "101_ObjectCategories.tar.gz", tarred(objects)
    flowers = {}
    for name in ("daisy", "lotus"):
        for part, count in (("train", 8), ("valid", 4), ("test", 4)):
            for i, content in enumerate(photographs(count, 240, 260)):
                flowers[f"{part}/{name}/image_{1832 + i:05}.jpg"] = content
    yield "102flowers.tgz", tarred(flowers)
    yield "oxford_102_flower_dataset.py", FLOWERS.encode()
    yield "utils.py", PLOTS.encode()
    faces = enumerate(photographs(160, 64, 64))
    people = {f"lfw/name_{i % 50}/face_{i}.jpg": face for i, face in faces}
    yield "lfw-deepfunneled.tgz", tarred(people)
    for alphabet, count in (("Tifinagh", 12), ("Inuktitut_(Canadian_Aboriginal_Syllabics)", 2)):
        for i in range(2 * count):
            letter = encoded(picture(rng, 105, 105)[:, :, 0])
            yield f"omniglot/{alphabet}/character{i % 2}/{i:04}.png", letter
    images = [(float(rng.randint(1000)), face) for face in photographs(32, 256, 256)]
    yield "val_256_q90.rec", records(images)[0]


def saved(arrays: dict[str, Any]) -> bytes:
    """Return arrays as the content of a parameter file."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "a.params")
        opforge.nd.save(path, {name: opforge.nd.array(value) for name, value in arrays.items()})
        return Path(path).read_bytes()


def networks(rng: np.random.RandomState) -> Iterator[tuple[str, bytes]]:
    """Yield parameters of LeNet, and a small residual network with its parameters."""

    def weight(*shape: int) -> np.ndarray:
        return rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)

    shapes = {0: (6, 1, 5, 5), 2: (16, 6, 3, 3), 5: (120, 400), 6: (84, 120), 7: (10, 84)}
    lenet: dict[str, Any] = {}
    for number, shape in shapes.items():
        lenet[f"{number}.weight"] = weight(*shape)
        lenet[f"{number}.bias"] = np.zeros(shape[0], np.float32)
    yield "net.params", saved(lenet)

    sym = opforge.sym
    net = sym.Convolution(sym.var("data"), num_filter=8, kernel=(7, 7), stride=(4, 4), name="conv0")
    net = sym.Activation(sym.BatchNorm(net, fix_gamma=False, name="bn0"), act_type="relu")
    branch = sym.Convolution(net, num_filter=8, kernel=(3, 3), pad=(1, 1), name="conv1")
    net = sym.Activation(branch + net, act_type="relu")
    net = sym.Pooling(net, kernel=(7, 7), global_pool=True, pool_type="avg", name="pool1")
    net = sym.FullyConnected(sym.Flatten(net), num_hidden=1000, name="fc1")
    net = sym.SoftmaxOutput(net, name="softmax")
    arguments, _, states = net.infer_shape(data=(1, 3, 224, 224))
    values = {}
    for name, shape in zip(net.list_arguments(), arguments, strict=True):
        if name not in ("data", "softmax_label"):
            values[f"arg:{name}"] = weight(*shape) if len(shape) > 1 else np.ones(shape, np.float32)
    for name, shape in zip(net.list_auxiliary_states(), states, strict=True):
        values[f"aux:{name}"] = np.ones(shape, np.float32)
    yield "resnet-18-symbol.json", net.tojson().encode()
    yield "resnet-18-0000.params", saved(values)

    yield "super_resolution.onnx", super_resolution(weight)
    googlenet = {"bvlc_googlenet/model.onnx": classifier(weight)}
    yield "bvlc_googlenet.tar.gz", tarred(googlenet)


def integer(value: int) -> bytes:
    """Return an integer as protocol buffers write it."""
    value %= 1 << 64
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def message(fields: list[tuple[int, Any]]) -> bytes:
    """Return a message of protocol buffers: integers, real numbers, words, bytes and messages."""
    content = b""
    for key, value in fields:
        if isinstance(value, float):
            content += integer(key << 3 | 5) + struct.pack("<f", value)
        elif isinstance(value, int):
            content += integer(key << 3) + integer(value)
        else:
            text = value.encode() if isinstance(value, str) else value
            content += integer(key << 3 | 2) + integer(len(text)) + text
    return content


def node(kind: str, inputs: list[str], output: str, **attributes: Any) -> bytes:
    """Return a node of an ONNX graph."""
    fields: list[tuple[int, Any]] = [*((1, name) for name in inputs), (2, output), (4, kind)]
    for name, value in attributes.items():
        if isinstance(value, list):
            given = [*((8, each) for each in value), (20, 7)]
        else:
            given = [(2, value), (20, 1)] if isinstance(value, float) else [(3, value), (20, 2)]
        fields.append((5, message([(1, name), *given])))
    return message(fields)


def tensor_type(name: str, shape: Any, kind: int) -> bytes:
    """Return the description of an input or output of an ONNX graph."""
    sizes = message([(1, message([(1, int(size))])) for size in shape])
    return message([(1, name), (2, message([(1, message([(1, kind), (2, sizes)]))]))])


def model(nodes: list[bytes], weights: dict[str, np.ndarray], ends: Any, opset: int) -> bytes:
    """Return an ONNX model; `ends` are the names and shapes of its input and output."""
    kinds = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
    (first, shape), (last, shape_of_last) = ends
    graph = [(1, each) for each in nodes] + [(2, "model"), (11, tensor_type(first, shape, 1))]
    for name, value in weights.items():
        kind, sizes = kinds[value.dtype], [(1, size) for size in value.shape]
        graph.append((5, message([*sizes, (2, kind), (8, name), (9, value.tobytes())])))
        graph.append((11, tensor_type(name, value.shape, kind)))
    graph.append((12, tensor_type(last, shape_of_last, 1)))
    versions = message([(1, ""), (2, opset)])
    return message([(1, 3), (2, "made up"), (7, message(graph)), (8, versions)])


def super_resolution(weight: Any) -> bytes:
    """Return a network that makes pictures three times as large."""
    weights = {
        "4": weight(16, 1, 5, 5),
        "5": np.zeros(16, np.float32),
        "6": weight(9, 16, 3, 3),
        "7": np.zeros(9, np.float32),
        "8": np.array([-1, 1, 3, 3, 224, 224]),
        "9": np.array([-1, 1, 672, 672]),
    }
    nodes = [
        node("Conv", ["1", "4", "5"], "10", kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]),
        node("Relu", ["10"], "11"),
        node("Conv", ["11", "6", "7"], "12", kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1]),
        node("Reshape", ["12", "8"], "13"),
        node("Transpose", ["13"], "14", perm=[0, 1, 4, 2, 5, 3]),
        node("Reshape", ["14", "9"], "15"),
    ]
    return model(nodes, weights, [("1", [1, 1, 224, 224]), ("15", [1, 1, 672, 672])], 7)


def classifier(weight: Any) -> bytes:
    """Return a small network of convolutions for pictures, with a thousand classes."""
    conv, small, last = "conv1/7x7_s2", "conv2/3x3", "loss3/classifier"
    square = {"kernel_shape": [3, 3], "strides": [2, 2]}
    weights = {
        f"{conv}_w_0": weight(16, 3, 7, 7),
        f"{conv}_b_0": np.zeros(16, np.float32),
        f"{small}_w_0": weight(32, 16, 3, 3),
        f"{small}_b_0": np.zeros(32, np.float32),
        "conv2/1x1_w_0": weight(32, 16, 1, 1),
        "conv2/1x1_b_0": np.zeros(32, np.float32),
        f"{last}_w_0": weight(1000, 64),
        f"{last}_b_0": np.zeros(1000, np.float32),
    }
    nodes = [
        node(
            "Conv",
            ["data_0", f"{conv}_w_0", f"{conv}_b_0"],
            "a",
            kernel_shape=[7, 7],
            strides=[4, 4],
            pads=[3] * 4,
        ),
        node("Relu", ["a"], "b"),
        node("MaxPool", ["b"], "c", pads=[0, 0, 1, 1], **square),
        node("LRN", ["c"], "d", alpha=1e-4, beta=0.75, bias=1.0, size=5),
        node("Conv", ["d", f"{small}_w_0", f"{small}_b_0"], "e", pads=[1] * 4, kernel_shape=[3, 3]),
        node("Conv", ["d", "conv2/1x1_w_0", "conv2/1x1_b_0"], "f", kernel_shape=[1, 1]),
        node("Concat", ["e", "f"], "g", axis=1),
        node("Relu", ["g"], "h"),
        node("GlobalAveragePool", ["h"], "i"),
        node("Dropout", ["i"], "j", ratio=0.4, is_test=1),
        node("Flatten", ["j"], "k", axis=1),
        node("Gemm", ["k", f"{last}_w_0", f"{last}_b_0"], "l", transB=1, broadcast=1),
        node("Softmax", ["l"], "prob_1", axis=1),
    ]
    return model(nodes, weights, [("data_0", [1, 3, 224, 224]), ("prob_1", [1, 1000])], 3)


MAKERS = [class_names, pictures, networks]
