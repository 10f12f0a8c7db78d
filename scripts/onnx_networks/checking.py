"""Export of one network, and what ONNX Runtime, OpenVINO and the import compute from the file."""

import functools
import logging
import math
import re
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime
import openvino
from scipy.spatial import cKDTree

import opforge as mx
from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.onnx import ExportError, export_model, import_to_gluon

#: Text for a network that is exported with fixed sizes.
FIXED = "fixed"
#: Largest differences that pass; larger ones pass if rounding explains them.
LIMITS = {"onnxruntime": 1e-4, "openvino": 1e-4, "reimport": 1e-6, "browser": 1e-4}
#: Differences by rounding from which a comparison would prove nothing.
LARGEST_ROUNDING = 1e-2


class Network(NamedTuple):
    """Network to check, with arrays for its inputs.

    Parameters
    ----------
    model : HybridBlock or Symbol
    inputs : list of numpy.ndarray
    params : dict of str to NDArray, optional
        Those of a symbol.
    dynamic : list of list of tuple
        `dynamic_input_shapes` to export with, from the most general one; the first that the
        network supports is used.
    detections : bool
        Whether each output has a row for each detection, in an order that rounding may change.
    """

    model: object
    inputs: list
    params: dict | None = None
    dynamic: list = ()
    detections: bool = False


class Row(NamedTuple):
    """Results for one network: largest differences relative to the largest element of an output."""

    sizes: str
    onnxruntime: float
    openvino: float
    reimport: float
    browser: float
    rounding: float | None = None

    def passes(self):
        """Return whether all differences are small enough."""
        limits = dict(LIMITS)
        if self.rounding is not None and self.rounding < LARGEST_ROUNDING:
            limits = {part: max(limit, 4 * self.rounding) for part, limit in limits.items()}
        return not any(getattr(self, part) > limit for part, limit in limits.items())


def check(network, path, run_in_browser=None):
    """Export a network, run the file and import it again; return a `Row`.

    `run_in_browser` takes a path and a list of inputs by name for each call.
    """
    sizes = export(network, path)
    onnx.checker.check_model(path, full_check=True)
    calls = [network.inputs]
    if sizes:
        calls.append(resize(network.inputs, sizes))
    expected = [compute(network, inputs) for inputs in calls]
    calls_by_name = [dict(zip(names_of(path), inputs, strict=True)) for inputs in calls]
    compare = functools.partial(difference, detections=network.detections)
    row = Row(
        describe(sizes),
        compare(expected, run_in_onnxruntime(path, calls_by_name)),
        compare(expected, run_in_openvino(path, calls)),
        compare(expected[:1], [run_imported(path, calls_by_name[0])]),
        compare(expected, run_in_browser(path, calls_by_name) if run_in_browser else None),
    )
    if row.passes():
        return row
    return row._replace(rounding=compare(run_with_rounding(network, calls), expected))


def export(network, path):
    """Write a network with as many sizes open as it supports; return them, or None."""
    shapes = [array.shape for array in network.inputs]
    types = [array.dtype for array in network.inputs]
    for sizes in network.dynamic:
        try:
            export_model(network.model, network.params, shapes, types, path, False, True, sizes)
        except ExportError as error:
            logging.info("%s: %s", describe(sizes), error)
        else:
            return sizes
    export_model(network.model, network.params, shapes, types, path)
    return None


def describe(sizes):
    """Return the names of the sizes that may change."""
    if sizes is None:
        return FIXED
    names = [size for shape in sizes for size in shape if isinstance(size, str)]
    return ", ".join(dict.fromkeys(names))


def resize(inputs, sizes):
    """Return inputs in which all sizes that may change are twice as large."""
    return [
        np.tile(array, [1 if isinstance(size, int) else 2 for size in shape])
        for array, shape in zip(inputs, sizes, strict=True)
    ]


def compute(network, inputs):
    """Return the outputs of the network in opforge."""
    arrays = [nd.array(array, dtype=array.dtype) for array in inputs]
    if network.params is None:
        network.model.hybridize()  # as an imported network runs, so that sums have one order
        found = network.model(*arrays)
    else:
        names = [n for n in network.model.list_inputs() if n not in network.params]
        labels = names[len(arrays) :]
        known = {**network.params, **dict(zip(names, arrays, strict=False))}
        shapes, _, _ = network.model.infer_shape(**{n: a.shape for n, a in known.items()})
        shapes = dict(zip(network.model.list_arguments(), shapes, strict=True))
        known.update({label: nd.zeros(shapes[label]) for label in labels})
        found = network.model.eval(mx.cpu(), **known)
    return [array.asnumpy() for array in flatten(found)]


def run_with_rounding(network, calls):
    """Return the outputs for each list of inputs, computed in float64.

    A network with constants of float32, which it mixes with its inputs, gets other inputs instead:
    each of their elements is the next larger or smaller number.
    """
    try:
        precise = [[array.astype("float64") for array in inputs] for inputs in calls]
        return [compute(in_float64(network), inputs) for inputs in precise]
    except OpforgeError as error:
        logging.info("in float64: %s", error)
        if network.params is None:
            network.model.cast("float32")
        return [compute(network, [neighbors(array) for array in inputs]) for inputs in calls]


def in_float64(network):
    """Return a network with parameters of float64."""
    if network.params is None:
        network.model.cast("float64")
        return network
    params = {name: array.astype("float64") for name, array in network.params.items()}
    return network._replace(params=params)


def neighbors(array):
    """Return the next number of each element, upwards or downwards, if they are not integers."""
    if array.dtype.kind != "f":
        return array
    generator = np.random.default_rng(0)
    return np.nextafter(array, generator.choice([-np.inf, np.inf], array.shape), dtype=array.dtype)


def flatten(found):
    """Return the arrays of nested lists."""
    if isinstance(found, (list, tuple)):
        return [array for part in found for array in flatten(part)]
    return [found]


def names_of(path):
    """Return the names of the inputs of a file."""
    return [name for name, *_ in mx.onnx.get_model_metadata(path)["input_tensor_data"]]


def run_in_onnxruntime(path, calls):
    """Return the outputs for each call."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return [session.run(None, inputs) for inputs in calls]


def run_in_openvino(path, calls):
    """Return the outputs for each list of inputs; None if OpenVINO lacks an operator."""
    precision = {"INFERENCE_PRECISION_HINT": "f32"}
    try:
        model = openvino.Core().compile_model(path, "CPU", precision)
    except RuntimeError as error:
        missing = re.search(r"No conversion rule found for operations: (.*)", str(error))
        if missing is None:
            raise
        logging.warning("OpenVINO lacks %s", missing[1])
        return None
    return [[model(inputs)[output] for output in model.outputs] for inputs in calls]


def run_imported(path, inputs):
    """Return the outputs of the file as opforge imports it."""
    block = import_to_gluon(path, shapes={name: array.shape for name, array in inputs.items()})
    arrays = [nd.array(array, dtype=array.dtype) for array in inputs.values()]
    return [array.asnumpy() for array in flatten(block(*arrays))]


def difference(expected, found, detections):
    """Return the largest difference relative to the largest element of the same output.

    It is NaN if nothing was found because a program was not run.
    """
    if found is None:
        return math.nan
    calls = zip(expected, found, strict=True)
    if detections:
        return max(difference_of_detections(*call) for call in calls)
    return max(relative_difference(*pair) for call in calls for pair in zip(*call, strict=True))


def difference_of_detections(expected, found):
    """Return the largest difference of detections from the most similar ones.

    One of ten is left out: rounding decides which boxes overlap or are too small.
    """
    scales = [max(np.abs(array).max(), 1e-30) for array in expected]
    first, second = (
        np.concatenate(
            [
                array.reshape(array.shape[0] * array.shape[1], -1) / scale
                for array, scale in zip(outputs, scales, strict=True)
            ],
            axis=1,
        )
        for outputs in (expected, found)
    )
    if not np.isfinite(first).all():
        raise ValueError("a detection is not finite; the check would not find differences")
    if not np.isfinite(second).all():
        return math.inf
    distances = [distances_to_nearest(*pair) for pair in ((first, second), (second, first))]
    return float(max(np.quantile(distance, 0.9) for distance in distances))


def distances_to_nearest(rows, others):
    """Return the largest difference of each row from the other row with the nearest box."""
    box = slice(6)  # class, score, corners
    # Rows without a detection are equal, and a tree of equal rows is slow.
    rows, index = np.unique(rows, axis=0, return_inverse=True)
    others = np.unique(others, axis=0)
    _, nearest = cKDTree(others[:, box]).query(rows[:, box], p=np.inf)
    return np.abs(rows - others[nearest]).max(axis=1)[index]


def relative_difference(expected, found):
    """Return the largest difference of two arrays relative to the largest element."""
    if expected.shape != np.atleast_1d(found).shape:
        raise ValueError(f"an output has shape {found.shape}, expected {expected.shape}")
    if not np.isfinite(expected).all():
        raise ValueError("an output is not finite; the check would not find differences")
    if not np.isfinite(found).all():
        return math.inf
    expected, found = expected.astype("float64"), np.atleast_1d(found).astype("float64")
    return float(np.abs(expected - found).max() / max(np.abs(expected).max(), 1e-30))
