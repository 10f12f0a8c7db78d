"""Benchmark cases for opforge and ONNX Runtime: predictions of whole networks, and dense layers.

ONNX Runtime's interpreter imports only this file. It reads the network that opforge's preparation,
which comes first, has exported to the folder.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CASES", "NO_FILES", "file_of"]

#: Networks of the model zoo -> highest acceptable ratios for one image and for 16.
_NETWORKS = {
    "resnet50_v1": (0.95, 0.8),
    "mobilenetv2_1.0": (1.0, 1.0),
    "squeezenet1.1": (1.0, 1.0),
    "densenet121": (1.0, 1.0),
    "vgg16": (0.45, 0.6),
}
_IMAGE = (3, 224, 224)
#: The folder if only opforge is measured.
NO_FILES = Path()
#: Rows, inputs and outputs of dense layers.
_LAYERS = [
    (1, 768, 768),
    (1, 4096, 4096),
    (4, 3072, 768),
    (8, 768, 3072),
    (16, 256, 256),
    (16, 768, 3072),
    (32, 768, 768),
    (49, 2048, 512),
    (64, 3072, 768),
    (128, 768, 3072),
    (256, 64, 64),
    (256, 768, 768),
    (1001, 777, 513),
    (1024, 768, 3072),
    (4096, 64, 64),
    (4096, 256, 256),
]
_LAYER_TARGET = 1.05


def file_of(name: str) -> str:
    """Return the name of a case's ONNX file.

    Parameters
    ----------
    name : str
        Name of a case.
    """
    return re.sub(r"\W+", "-", name) + ".onnx"


def _case(group: str, target: float, network: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    """Return a case for a function of opforge that makes its network."""

    def data() -> Any:
        return np.random.default_rng(0).standard_normal(shape).astype("float32")

    return {"group": group, "target": target, "network": network, "data": data}


def _network(name: str) -> Callable[[Any], Any]:
    def make(mx: Any) -> Any:
        net = mx.gluon.model_zoo.vision.get_model(name)
        net.initialize(mx.init.Xavier())
        return net

    return make


def _layer(inputs: int, outputs: int) -> Callable[[Any], Any]:
    def make(mx: Any) -> Any:
        layer = mx.gluon.nn.Dense(outputs, in_units=inputs)
        layer.initialize()
        return layer

    return make


def _cases() -> dict[str, dict[str, Any]]:
    found = {}
    for network, targets in _NETWORKS.items():
        for batch, target in zip((1, 16), targets, strict=True):
            name = f"{network}, {batch} of 224x224"
            found[name] = _case("networks", target, _network(network), (batch, *_IMAGE))
    for rows, inputs, outputs in _LAYERS:
        layer, name = _layer(inputs, outputs), f"dense, {rows}x{inputs}x{outputs}"
        found[name] = _case("dense layers", _LAYER_TARGET, layer, (rows, inputs))
    for name, case in found.items():
        case["prepare"] = _preparation(name)
    return found


def _preparation(name: str) -> Callable[[Any, Path], Callable[[], Any]]:
    """Return a function that prepares predictions in either library."""

    def prepare(library: Any, folder: Path) -> Callable[[], Any]:
        data = CASES[name]["data"]()
        if hasattr(library, "InferenceSession"):
            return _session(library, folder / file_of(name), data)
        net, array = CASES[name]["network"](library), library.nd.array(data)
        if folder != NO_FILES:
            _export(library, net, array, folder / file_of(name))
        net.hybridize()
        return lambda: net(array)

    return prepare


def _export(mx: Any, net: Any, data: Any, path: Path) -> None:
    net(data).wait_to_read()  # which initializes weights of unknown shapes
    mx.onnx.export_model(net, in_shapes=[data.shape], onnx_file_path=str(path))


def _session(onnxruntime: Any, path: Path, data: Any) -> Callable[[], Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
    # By default its threads spin for 40 ms after a run, while opforge is measured.
    options.add_session_config_entry("session.intra_op.spin_duration_us", "1000")
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    inputs = {session.get_inputs()[0].name: data}
    return lambda: session.run(None, inputs)


CASES = _cases()
