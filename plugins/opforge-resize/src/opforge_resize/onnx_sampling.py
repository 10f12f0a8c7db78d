"""Translation of BilinearSampler to ONNX."""

from typing import Any

__all__ = ["bilinear_sampler"]


def bilinear_sampler(prop: Any, call: Any) -> Any:
    """Translate BilinearSampler; the coordinates of a position are along the last axis in ONNX."""
    call.require(call.opset >= 16, "GridSample is missing before opset 16", "use opset 16 or later")
    data, grid = call.inputs
    return call.node(
        "GridSample",
        data,
        call.node("Transpose", grid, perm=[0, 2, 3, 1]),
        mode="linear" if call.opset >= 20 else "bilinear",
        padding_mode="zeros",
        align_corners=1,
    )
