"""Translation of normalization to ONNX."""

from typing import Any

import numpy as np

__all__ = ["batch_norm", "instance_norm", "layer_norm", "local_response_norm"]


def _scale(prop: Any, call: Any) -> Any:
    """Return gamma, which is 1 if it is fixed, whatever the weight holds."""
    gamma = call.inputs[1]
    call.require_fixed(gamma, 0)
    return call.constant(np.ones(gamma.shape), gamma.dtype) if prop.fix_gamma else gamma


def batch_norm(prop: Any, call: Any) -> Any:
    """Translate BatchNorm in a prediction, by the moving statistics."""
    call.require(
        not prop.output_mean_var,
        "a prediction has no statistics of the batch",
        "drop these outputs",
    )
    data, _, beta, mean, variance = call.inputs
    rank = len(data.shape)
    axis = prop.axis % rank
    settings = (_scale(prop, call), beta, mean, variance)
    if rank == 1:
        row = call.node("Unsqueeze", data, call.integers(0))
        found = call.node("BatchNormalization", row, *settings, epsilon=prop.eps)
        return call.node("Squeeze", found, call.integers(0))
    if axis == 1:
        return call.node("BatchNormalization", data, *settings, epsilon=prop.eps)
    first, *others = [item for item in range(rank) if item != axis]
    order = [first, axis, *others]
    moved = call.node("Transpose", data, perm=order)
    found = call.node("BatchNormalization", moved, *settings, epsilon=prop.eps)
    return call.node("Transpose", found, perm=[order.index(item) for item in range(rank)])


def batch_norm_relu(prop: Any, call: Any) -> Any:
    """Translate BatchNorm followed by relu."""
    return call.node("Relu", batch_norm(prop, call))


def layer_norm(prop: Any, call: Any) -> Any:
    """Translate LayerNorm over one axis: a single node for the last one since opset 17."""
    data, gamma, beta = call.inputs
    rank = len(data.shape)
    axis = prop.axis % rank
    if axis == rank - 1 and call.opset >= 17 and not prop.output_mean_var:
        return call.node("LayerNormalization", data, gamma, beta, axis=-1, epsilon=prop.eps)
    mean = call.reduce("ReduceMean", data, axis)
    centered = call.node("Sub", data, mean)
    variance = call.reduce("ReduceMean", call.node("Mul", centered, centered), axis)
    deviation = call.node("Sqrt", call.node("Add", variance, call.constant(prop.eps)))
    found = call.node("Div", centered, deviation)
    shape = call.integers(*(-1 if item == axis else 1 for item in range(rank)))
    scaled = call.node("Mul", found, call.node("Reshape", gamma, shape))
    result = call.node("Add", scaled, call.node("Reshape", beta, shape))
    if not prop.output_mean_var:
        return result
    statistics = [
        value if len(out.shape) == rank else call.node("Squeeze", value, call.integers(axis))
        for value, out in zip((mean, deviation), call.outputs[1:], strict=True)
    ]
    return [result, *statistics]


def instance_norm(prop: Any, call: Any) -> Any:
    """Translate InstanceNorm."""
    return call.node("InstanceNormalization", *call.inputs, epsilon=prop.eps)


def local_response_norm(prop: Any, call: Any) -> Any:
    """Translate LRN; both divide alpha by the number of channels in the window."""
    call.require(
        prop.nsize % 2, "an even nsize has another window in ONNX", "use an odd number of channels"
    )
    settings = {"alpha": prop.alpha, "beta": prop.beta, "bias": prop.knorm, "size": prop.nsize}
    data = call.inputs[0]
    if len(data.shape) == 4:
        return call.node("LRN", data, **settings)
    # Runtimes compute it for images only.
    image = call.node("Reshape", data, call.integers(0, 0, -1, 1))
    return call.node("Reshape", call.node("LRN", image, **settings), call.node("Shape", data))
