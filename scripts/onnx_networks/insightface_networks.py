"""Symbols of insightface's recognition, detection and alignment, read from a checkout."""

import contextlib
import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from unittest import mock

import mxnet as mx
import numpy as np
from checking import Network
from weights import draw_for_symbol

#: Modules that the symbols import for training alone.
FOR_TRAINING = ("sklearn", "rcnn.PY_OP")
#: Name of a detector -> name of its settings, the zoo's network below it, and changed settings.
DETECTORS = {
    "retinaface_mnet025": ("mnet", "mobilenet0_25", {}),
    "retinaface_r50": ("resnet", "resnet50_v1", {}),
    "retinaface_r50_dcn": ("resnet", "resnet50_v1", {"USE_DCN": 2}),
}
#: Settings of networks that find the landmarks of a face.
ALIGNERS = ("hourglass", "sdu")


def networks(checkout):
    """Return a function for each name that builds the network."""
    if checkout is None:
        raise SystemExit("pass the folder of insightface's repository as --checkout")
    recognition = checkout / "recognition/arcface_mxnet"
    detection, alignment = checkout / "detection/retinaface", checkout / "alignment/heatmap"
    with imports(recognition) as settings:
        names = list(settings.network)
    return {
        **{f"arcface_{name}": functools.partial(arcface, recognition, name) for name in names},
        **{name: functools.partial(retinaface, detection, name) for name in DETECTORS},
        **{f"heatmap_{name}": functools.partial(heatmap, alignment, name) for name in ALIGNERS},
    }


def arcface(folder, name):
    """Return a network that embeds a face."""
    with imports(folder) as settings:
        settings.config.update(settings.network[name])
        symbol = importlib.import_module(settings.config.net_name).get_symbol()
    return network(symbol, (1, 3, 112, 112), pixels=True)


def retinaface(folder, name):
    """Return a network that detects faces: scores, boxes and landmarks for three strides."""
    settings_name, base, changes = DETECTORS[name]
    below = mx.gluon.model_zoo.vision.get_model(base)(mx.sym.var("data"))
    with imports(folder, "rcnn.config") as settings, mock.patch.object(mx.sym, "Custom", variables):
        settings.generate_config(settings_name, "retinaface")
        settings.config.update(changes)
        symbol = importlib.import_module("rcnn.symbol.symbol_common").get_sym_train(below)
    layers = symbol.get_internals()
    outputs = []
    for stride in (32, 16, 8):
        scores, boxes, landmarks = (
            layers[f"face_rpn_{part}_stride{stride}_output"]
            for part in ("cls_score_reshape", "bbox_pred", "landmark_pred")
        )
        outputs += [mx.sym.SoftmaxActivation(scores, mode="channel"), boxes, landmarks]
    return network(mx.sym.Group(outputs), (1, 3, 256, 320))


def variables(op_type, **attributes):
    """Return variables in place of an operator that chooses examples for training."""
    return [mx.sym.var(f"{op_type}{output}") for output in range(3)]


def heatmap(folder, name):
    """Return a network that draws a map for each landmark of a face."""
    with imports(folder) as settings:
        settings.generate_config(name, "i2d")
        settings.config.per_batch_size = 1
        symbol = importlib.import_module("sym_heatmap").get_symbol(settings.config.num_classes)
    return network(symbol.get_internals()["heatmap_output"], (1, 3, 128, 128), pixels=True)


@contextlib.contextmanager
def imports(folder, config="config"):
    """Import from a project of the repository with its sample settings; yield these."""
    known = dict.fromkeys(FOR_TRAINING, mock.MagicMock())
    path = folder / config.replace("config", "sample_config").replace(".", "/")
    spec = importlib.util.spec_from_file_location(config, path.with_suffix(".py"))
    known[config] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(known[config])
    before = set(sys.modules)
    sys.modules.update(known)
    with mock.patch.object(sys, "path", [str(folder), str(folder / "symbol"), *sys.path]):
        try:
            yield known[config]
        finally:
            for name in set(sys.modules) - before:
                if name in known or belongs(sys.modules[name], folder):
                    del sys.modules[name]


def belongs(module, folder):
    """Return whether a module was read from a folder."""
    return folder in Path(getattr(module, "__file__", None) or "/").parents


def network(symbol, shape, *, pixels=False):
    """Return a network with random weights and an input."""
    data = np.random.default_rng(1).standard_normal(shape).astype("float32")
    if pixels:  # the network scales them
        data = data * 64 + 128
    examples = np.concatenate([data, data[:, :, ::-1], data[..., ::-1]])
    params = draw_for_symbol(symbol, data=examples)
    sizes = [("batch", 3, "height", "width")], [("batch", *shape[1:])]
    return Network(symbol, [data], params, dynamic=sizes)
