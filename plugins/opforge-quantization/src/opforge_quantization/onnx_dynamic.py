"""Translation of layers whose weights have 8 or 4 bits to ONNX; dense ones round as here."""

from typing import Any

import numpy as np

from .onnx import weight_of
from .weights import dequantize_weight

__all__ = ["dynamic_dense", "dynamic_rnn"]

#: Rows whose largest magnitude is below this become zeros, instead of a division by zero.
_LEAST = 1e-36


def dynamic_dense(prop: Any, call: Any) -> Any:
    """Translate _dynamic_dense to MatMulInteger, or to MatMul if weights have groups."""
    given = dict(zip(prop.list_arguments(), call.inputs, strict=True))
    weight = weight_of(call, given["weight"], "int8", "uint8")
    scale = weight_of(call, given["scale"], "float32")
    data, rank = given["data"], len(given["data"].shape)
    if prop.flatten and rank != 2:
        data, rank = call.node("Flatten", data), 2
    largest = call.reduce("ReduceMax", call.node("Abs", data), rank - 1)
    largest = call.node("Max", largest, call.constant(_LEAST, np.float32))
    levels = call.constant(127, np.float32)
    rows = call.node("Round", call.node("Mul", data, call.node("Div", levels, largest)))
    found = call.node("Mul", _products(prop, call, rows, weight, scale), _step(call, largest, rank))
    return call.node("Add", found, given["bias"]) if "bias" in given else found


def _step(call: Any, largest: Any, rank: int) -> Any:
    """Return the real number of an integer 1 of each row; that of one row has no axes."""
    step = call.node("Div", largest, call.constant(127, np.float32))
    return call.node("Squeeze", step, call.integers(0)) if rank == 1 else step


def _products(prop: Any, call: Any, rows: Any, weight: np.ndarray, scale: np.ndarray) -> Any:
    """Return the products of rounded rows with the real numbers of a weight."""
    length = weight.shape[1] if prop.bits == 8 else _length(call, prop)
    if prop.group_size:
        real = dequantize_weight(weight, scale, length, prop.group_size)
        return call.node("MatMul", rows, call.constant(real.T, np.float32))
    ones = np.ones_like(scale)
    integers = dequantize_weight(weight, ones, length).T
    sums = call.node("MatMulInteger", call.cast(rows, np.int8), call.constant(integers, np.int8))
    return call.node("Mul", call.cast(sums, np.float32), call.constant(scale[:, 0], np.float32))


def _length(call: Any, prop: Any) -> int:
    """Return the number of elements of a row of a weight of 4 bits, which is padded."""
    shape = call.inputs[0].shape
    return int(np.prod(shape[1:] if prop.flatten else shape[-1:]))


#: Kinds of nodes, and the order of their gates by the index here: z, r, n of GRU; i, o, f, g of
#: LSTM.
_KINDS = {
    "gru": ("GRU", [1, 0, 2]),
    "lstm": ("LSTM", [0, 3, 1, 2]),
    "rnn_relu": ("RNN", [0]),
    "rnn_tanh": ("RNN", [0]),
}


def dynamic_rnn(prop: Any, call: Any) -> Any:
    """Translate _dynamic_rnn to a node in float32 whose weights are stored as integers."""
    given = dict(zip(prop.list_arguments(), call.inputs, strict=True))
    kind, order = _KINDS[prop.mode]
    lengths = {"i2h": given["data"].shape[-1], "h2h": prop.state_size}
    weights = [_stored_weight(prop, call, given, order, *item) for item in lengths.items()]
    biases = [_gates(weight_of(call, given[f"{side}_bias"], "float32"), order) for side in lengths]
    bias = call.constant(np.concatenate(biases)[None], np.float32)
    names = [name for name in ("state", "state_cell") if name in given]
    begin = [call.node("Unsqueeze", given[name], call.integers(0)) for name in names]
    attributes: dict[str, Any] = {"direction": "reverse" if prop.reverse else "forward"}
    attributes |= {"linear_before_reset": 1} if prop.mode == "gru" else {}
    attributes |= {"activations": ["Relu"]} if prop.mode == "rnn_relu" else {}
    found, *last = call.node(
        kind,
        *(given["data"], *weights, bias, "", *begin),
        outputs=len(prop.list_outputs()),
        hidden_size=prop.state_size,
        **attributes,
    )
    squeezed = [call.node("Squeeze", state, call.integers(0)) for state in last]
    return [call.node("Squeeze", found, call.integers(1)), *squeezed]


def _stored_weight(
    prop: Any, call: Any, given: dict[str, Any], order: list[int], side: str, length: int
) -> Any:
    """Return a weight with ONNX's order of gates: integers that become real numbers, or those."""
    stored = weight_of(call, given[f"{side}_weight"], "int8", "uint8")
    scale = weight_of(call, given[f"{side}_scale"], "float32")
    if prop.group_size:
        real = dequantize_weight(stored, scale, length, prop.group_size)
        return call.constant(_gates(real, order)[None], np.float32)
    integers = dequantize_weight(stored, np.ones_like(scale), length)
    real = call.node(
        "DequantizeLinear",
        call.constant(_gates(integers, order), np.int8),
        call.constant(_gates(scale[:, 0], order), np.float32),
        axis=0,
    )
    return call.node("Unsqueeze", real, call.integers(0))


def _gates(array: np.ndarray, order: list[int]) -> np.ndarray:
    """Return an array whose first axis has the gates in another order."""
    return array.reshape(len(order), -1, *array.shape[1:])[order].reshape(array.shape)
