"""Translation of convolutions to ONNX."""

from typing import Any

__all__ = ["convolution", "deconvolution"]


def _attributes(prop: Any) -> dict[str, Any]:
    """Return the attributes that both directions have."""
    rank = len(prop.kernel)
    return {
        "kernel_shape": prop.kernel,
        "strides": prop.stride or (1,) * rank,
        "dilations": prop.dilate or (1,) * rank,
        "group": prop.num_group,
    }


def _channels_second(prop: Any, call: Any) -> list[Any]:
    """Return the inputs with channels second."""
    data, weight, *bias = call.inputs
    if not _has_channels_last(prop):
        return [data, weight, *bias]
    order = [0, len(data.shape) - 1, *range(1, len(data.shape) - 1)]
    return [*(call.node("Transpose", x, perm=order) for x in (data, weight)), *bias]


def _has_channels_last(prop: Any) -> bool:
    return prop.layout is not None and prop.layout.endswith("C")


def _in_layout(prop: Any, call: Any, found: Any) -> Any:
    """Return a result in the layout of the operator."""
    if not _has_channels_last(prop):
        return found
    return call.node("Transpose", found, perm=[0, *range(2, len(prop.kernel) + 2), 1])


def convolution(prop: Any, call: Any) -> Any:
    """Translate Convolution to Conv."""
    pad = tuple(prop.pad or (0,) * len(prop.kernel)) * 2
    found = call.node("Conv", *_channels_second(prop, call), pads=pad, **_attributes(prop))
    return _in_layout(prop, call, found)


def deconvolution(prop: Any, call: Any) -> Any:
    """Translate Deconvolution to ConvTranspose; a target shape becomes padding."""
    attributes = _attributes(prop)
    rank = len(prop.kernel)
    pad, adj = tuple(prop.pad or (0,) * rank), tuple(prop.adj or (0,) * rank)
    if any(prop.target_shape or ()):
        first = 1 if _has_channels_last(prop) else 2
        call.require_fixed(call.inputs[0], *range(first, first + rank))
        sizes = (x.shape[first : first + rank] for x in (call.inputs[0], call.outputs[0]))
        pad, adj = _of_target(attributes, *sizes)
    found = call.node(
        "ConvTranspose",
        *_channels_second(prop, call),
        pads=pad + pad,
        output_padding=adj,
        **attributes,
    )
    return _in_layout(prop, call, found)


def _of_target(attributes: Any, size: Any, target: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return padding and additional elements that give an output of the target size."""
    pad, adj = [], []
    window = (attributes[name] for name in ("kernel_shape", "strides", "dilations"))
    for n, wanted, kernel, stride, dilation in zip(size, target, *window, strict=True):
        excess = stride * (n - 1) + dilation * (kernel - 1) + 1 - wanted
        pad.append(max(0, (excess + 1) // 2))
        adj.append(2 * pad[-1] - excess)
    return tuple(pad), tuple(adj)
