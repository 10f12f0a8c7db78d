"""Translation of linear maps of the last axis to ONNX: Fourier transforms and sketches."""

from typing import Any

import numpy as np

__all__ = ["count_sketch", "fft", "ifft"]


def count_sketch(prop: Any, call: Any) -> Any:
    """Translate count_sketch: a product with a matrix that has a sign in each row."""
    data, indices, signs = call.inputs
    rows, column = (
        call.node("Reshape", call.node("Slice", x, *map(call.integers, (0, 1, 0))), shape)
        for x, shape in ((indices, call.integers(-1)), (signs, call.integers(-1, 1)))
    )
    depth, values = call.constant(prop.out_dim, np.int64), call.constant([0, 1])
    chosen = call.node("OneHot", call.cast(rows, np.int64), depth, values, axis=1)
    return call.node("MatMul", data, call.node("Mul", chosen, column))


def fft(prop: Any, call: Any) -> Any:
    """Translate fft."""
    data = call.inputs[0]
    call.require_fixed(data, -1)
    return _in_rows(call, _transform(call, data.shape[-1], 1, inverse=0))


def ifft(prop: Any, call: Any) -> Any:
    """Translate ifft, which has no factor and returns the real part."""
    data = call.inputs[0]
    call.require_fixed(data, -1)
    length = data.shape[-1] // 2
    found = _transform(call, length, 2, inverse=1)
    real = call.node("Gather", found, call.constant(0, np.int64), axis=2)
    return _in_rows(call, call.node("Mul", real, call.constant(length)))


def _transform(call: Any, length: int, parts: int, inverse: int) -> Any:
    """Return the transform of rows of real numbers, or of pairs, as pairs."""
    call.require(call.opset >= 17, "DFT is missing before opset 17", "use opset 17 or later")
    rows = call.node("Reshape", call.inputs[0], call.integers(-1, length, parts))
    if call.opset >= 20:
        axis = call.constant(1, np.int64)
        return call.node("DFT", rows, "", axis, inverse=inverse)
    return call.node("DFT", rows, axis=1, inverse=inverse)


def _in_rows(call: Any, found: Any) -> Any:
    """Return numbers in the shape of the output."""
    return call.node("Reshape", found, call.shape_of(call.outputs[0]))
