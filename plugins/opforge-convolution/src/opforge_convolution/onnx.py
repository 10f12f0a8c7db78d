"""Translation of convolutions to ONNX."""

from typing import Any

__all__ = ["convolution", "deconvolution"]


def _common(prop: Any, call: Any) -> dict[str, Any]:
    """Return the attributes that both directions have."""
    call.require(
        prop.layout is None or prop.layout.startswith("NC"),
        f"layout {prop.layout!r} has no equivalent",
        "use a layout with channels second",
    )
    rank = len(prop.kernel)
    return {
        "kernel_shape": prop.kernel,
        "strides": prop.stride or (1,) * rank,
        "dilations": prop.dilate or (1,) * rank,
        "group": prop.num_group,
    }


def convolution(prop: Any, call: Any) -> Any:
    """Translate Convolution to Conv."""
    pad = tuple(prop.pad or (0,) * len(prop.kernel))
    return call.node("Conv", *call.inputs, pads=pad + pad, **_common(prop, call))


def deconvolution(prop: Any, call: Any) -> Any:
    """Translate Deconvolution to ConvTranspose; a target shape becomes padding."""
    common = _common(prop, call)
    pad, adj = tuple(prop.pad or ()), tuple(prop.adj or ())
    rank = len(prop.kernel)
    pad, adj = pad or (0,) * rank, adj or (0,) * rank
    if any(prop.target_shape or ()):
        call.require_fixed(call.inputs[0], *range(2, 2 + rank))
        pad, adj = _of_target(common, call.inputs[0].shape[2:], call.outputs[0].shape[2:])
    return call.node("ConvTranspose", *call.inputs, pads=pad + pad, output_padding=adj, **common)


def _of_target(common: Any, size: Any, target: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return padding and additional elements that give an output of the target size."""
    pad, adj = [], []
    geometry = zip(
        size, target, common["kernel_shape"], common["strides"], common["dilations"], strict=True
    )
    for n, wanted, kernel, stride, dilation in geometry:
        excess = stride * (n - 1) + dilation * (kernel - 1) + 1 - wanted
        pad.append(max(0, (excess + 1) // 2))
        adj.append(2 * pad[-1] - excess)
    return tuple(pad), tuple(adj)
