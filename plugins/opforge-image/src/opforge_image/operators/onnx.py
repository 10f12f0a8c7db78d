"""Translation of operators on images to ONNX."""

from typing import Any

import cv2
import numpy as np

__all__ = ["adjust_lighting", "normalize", "resize"]

#: OpenCV's method -> attributes of Resize.
_METHODS = {
    cv2.INTER_NEAREST: {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    },
    cv2.INTER_LINEAR: {"mode": "linear", "coordinate_transformation_mode": "half_pixel"},
}


def normalize(prop: Any, call: Any) -> Any:
    """Translate normalize; results of integers are truncated."""
    data = call.inputs[0]
    is_float = np.dtype(data.dtype).kind == "f"
    kind = np.result_type(data.dtype, np.float32) if is_float else np.dtype(np.float32)
    mean, std = (
        call.constant(np.reshape(numbers, (-1, 1, 1)), kind) for numbers in (prop.mean, prop.std)
    )
    centered = call.node("Sub", _cast(call, data, kind), mean)
    return call.cast(call.node("Div", centered, std), data.dtype)


def adjust_lighting(prop: Any, call: Any) -> Any:
    """Translate adjust_lighting."""
    data = call.inputs[0]
    if data.shape[2] == 1:
        return call.node("Identity", data)
    lit = call.node("Add", _cast(call, data, np.float32), call.constant(prop.light(), np.float32))
    if np.dtype(data.dtype).itemsize == 1:
        limits = np.iinfo(data.dtype)
        lit = call.node(
            "Clip", lit, *(call.constant(number, np.float32) for number in (limits.min, limits.max))
        )
    return call.cast(lit, data.dtype)


def resize(prop: Any, call: Any) -> Any:
    """Translate resize."""
    data, out = call.inputs[0], call.outputs[0]
    call.require(
        prop.interp in _METHODS,
        f"OpenCV's interpolation {prop.interp} has no equivalent",
        "use interp=1 (linear) or 0 (nearest)",
    )
    is_single = len(data.shape) == 3
    images = call.node("Unsqueeze", data, call.integers(0)) if is_single else data
    sizes = call.shape_of(out)
    if is_single:
        sizes = call.node("Concat", call.integers(1), sizes, axis=0)
    is_rounded = data.dtype.kind != "f" and prop.interp != cv2.INTER_NEAREST
    if is_rounded:
        images = call.cast(images, np.float32)
    found = call.node("Resize", images, "", "", sizes, **_METHODS[prop.interp])
    if is_rounded:
        half = call.node("Add", found, call.constant(0.5, np.float32))
        found = call.cast(call.node("Floor", half), data.dtype)
    return call.node("Squeeze", found, call.integers(0)) if is_single else found


def _cast(call: Any, value: Any, dtype: Any) -> Any:
    return value if value.dtype == dtype else call.cast(value, dtype)
