"""Translation of dense layers with quantized weights to ONNX, with the same roundings."""

from typing import Any

import numpy as np

from .onnx import weight_of
from .weights import dequantize_weight

__all__ = ["dynamic_dense"]

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
