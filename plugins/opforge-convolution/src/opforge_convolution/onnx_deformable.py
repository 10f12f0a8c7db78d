"""Translation of deformable convolutions to ONNX's DeformConv, which is the modulated one."""

from typing import Any

__all__ = ["deformable_convolution", "modulated_deformable_convolution"]


def modulated_deformable_convolution(prop: Any, call: Any) -> Any:
    """Translate ModulatedDeformableConvolution."""
    data, offset, mask, weight, *bias = call.inputs
    return _deform(prop, call, data, weight, offset, mask, bias)


def deformable_convolution(prop: Any, call: Any) -> Any:
    """Translate DeformableConvolution.

    It reads the last row and column where a position is less than one pixel behind them, and zeros
    where it is before the first ones; DeformConv interpolates with zeros on all sides.
    """
    data, offset, weight, *bias = call.inputs
    parts, inside = [], []
    for at in (0, 1):
        base = _base(prop, call, at)
        position = call.node("Add", _every_other(call, offset, at), base)
        size = call.cast(call.size(data, 2 + at), data.dtype)
        inside += [
            call.node("GreaterOrEqual", position, call.constant(0)),
            call.node("Less", position, size),
        ]
        last = call.node("Sub", size, call.constant(1))
        shift = call.node("Sub", call.node("Min", position, last), base)
        parts.append(call.node("Unsqueeze", shift, call.integers(2)))
    shifts = call.node("Reshape", call.node("Concat", *parts, axis=2), call.node("Shape", offset))
    mask = inside[0]
    for condition in inside[1:]:
        mask = call.node("And", mask, condition)
    found = _deform(prop, call, data, weight, shifts, call.cast(mask, data.dtype), bias)
    return call.mark(found, prop)


def _every_other(call: Any, offset: Any, start: int) -> str:
    """Return the vertical offsets (start 0) or the horizontal ones (start 1)."""
    bounds = (call.integers(value) for value in (start, offset.shape[1], 1, 2))
    return str(call.node("Slice", offset, *bounds))


def _base(prop: Any, call: Any, at: int) -> str:
    """Return the position of each element of a filter without offsets, along an axis."""
    (rows, columns), rank = prop.kernel, len(prop.kernel)
    stride, dilate = (given or (1,) * rank for given in (prop.stride, prop.dilate))
    pad = prop.pad or (0,) * rank
    elements = [(row, column)[at] for row in range(rows) for column in range(columns)]
    steps = [element * dilate[at] - pad[at] for element in elements] * prop.num_deformable_group
    indices = call.cast(call.arange(call.inputs[1], 2 + at), call.inputs[0].dtype)
    starts = call.node("Mul", indices, call.constant(stride[at]))
    shape = call.integers(*((-1, 1) if at == 0 else (1, -1)))
    column = call.constant([[[step]] for step in steps])
    return str(call.node("Add", call.node("Reshape", starts, shape), column))


def _deform(
    prop: Any, call: Any, data: Any, weight: Any, offset: Any, mask: Any, bias: list[Any]
) -> Any:
    call.require(call.opset >= 19, "DeformConv is missing before", "use opset 19 or later")
    rank = len(prop.kernel)
    pad = tuple(prop.pad or (0,) * rank)
    return call.node(
        "DeformConv",
        data,
        weight,
        offset,
        bias[0] if bias else call.constant([0] * prop.num_filter),
        mask,
        kernel_shape=prop.kernel,
        strides=prop.stride or (1,) * rank,
        dilations=prop.dilate or (1,) * rank,
        pads=pad + pad,
        group=prop.num_group,
        offset_group=prop.num_deformable_group,
    )
