"""Shared code of the operators: checks of image shapes, and conversion of types."""

from typing import Any

import numpy as np

from opforge.plugin_api import OperatorProp, ShapeError

__all__ = ["ColorOperator", "check_image", "to_floating", "to_type_of"]


def check_image(name: str, shape: Any, batches: bool = True) -> None:
    """Raise unless a shape is an image (h, w, c) or, if allowed, a batch (n, h, w, c)."""
    if len(shape) == 3 or (batches and len(shape) == 4):
        return
    batch = " or a batch (n, height, width, channels)" if batches else ""
    raise ShapeError(
        f"{name}: data has shape {tuple(shape)}; expected (height, width, channels){batch}"
    )


def to_floating(F: Any, data: Any) -> Any:
    """Return data in the floating type in which operators compute."""
    if np.dtype(data.dtype).name in ("float32", "float64"):
        return data
    return F.cast(data, dtype="float32")


def to_type_of(F: Any, value: Any, data: Any) -> Any:
    """Return a result in the type of data, clipped to its range for 8-bit integers."""
    dtype = np.dtype(data.dtype)
    if dtype == value.dtype:
        return value
    if dtype.itemsize == 1 and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        value = F.clip(value, a_min=float(limits.min), a_max=float(limits.max))
    return F.cast(value, dtype=dtype.name)


class ColorOperator(OperatorProp):
    """Base class of operators on images of one gray channel, or of red, green and blue."""

    argument_docs = {"data": "shape (h, w, 1) or (h, w, 3), red first"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the image's shape."""
        data = tuple(in_shape[0])
        name = self.name.removeprefix("_image_")
        if data:
            check_image(name, data, batches=False)
            if data[2] not in (1, 3):
                raise ShapeError(
                    f"{name}: data has shape {data}; expected (height, width, channels) with 1 "
                    "or 3 channels"
                )
        return [data], [data], []
