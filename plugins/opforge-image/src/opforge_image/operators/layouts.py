"""Code shared by the operators: shapes that are images, and the range of their colors."""

from typing import Any

import numpy as np

from opforge.plugin_api import OperatorProp, ShapeError

__all__ = ["Colored", "check_image", "counted", "returned"]


def check_image(name: str, shape: Any, batches: bool = True) -> None:
    """Reject a shape other than an image (h, w, c) or, if allowed, a batch (n, h, w, c)."""
    if len(shape) == 3 or (batches and len(shape) == 4):
        return
    batch = " or a batch (n, height, width, channels)" if batches else ""
    raise ShapeError(
        f"{name}: data has shape {tuple(shape)}, expected (height, width, channels){batch}"
    )


def counted(F: Any, data: Any) -> Any:
    """Return data in the floating type in which an operator counts."""
    if np.dtype(data.dtype).name in ("float32", "float64"):
        return data
    return F.cast(data, dtype="float32")


def returned(F: Any, value: Any, data: Any) -> Any:
    """Return what was counted in the type of data; small integers keep to their range."""
    dtype = np.dtype(data.dtype)
    if dtype == value.dtype:
        return value
    if dtype.itemsize == 1 and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        value = F.clip(value, a_min=float(limits.min), a_max=float(limits.max))
    return F.cast(value, dtype=dtype.name)


class Colored(OperatorProp):
    """Operators on colors: one gray channel, or red, green and blue."""

    argument_docs = {"data": "shape (h, w, 1) or (h, w, 3), red first"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the image's shape."""
        data = tuple(in_shape[0])
        name = self.name.removeprefix("_image_")
        if data:
            check_image(name, data, batches=False)
            if data[2] not in (1, 3):
                raise ShapeError(
                    f"{name}: data has shape {data}, expected (height, width, channels) with 1 "
                    "channel or 3"
                )
        return [data], [data], []
