"""`FusedTransforms`: the end of common chains of image transforms in one native pass.

``CenterCrop``, ``RandomFlipLeftRight``, ``ToTensor`` and ``Normalize``, in this order, convert
bytes to numbers, and each number depends on one byte and its channel. The transforms' results for
all 256 bytes are computed once, so that the fused results are bitwise equal.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import ShapeError, autograd, kernels, needs_gradient

from ._images import as_image

__all__ = ["FusedTransforms"]


class FusedTransforms:
    """Chain of transforms from a crop of bytes to normalized planes, as one function.

    Parameters
    ----------
    crop : CenterCrop, optional
    flip : RandomFlipLeftRight, optional
    values : sequence of callable
        `ToTensor` and `Normalize` transforms.
    """

    def __init__(self, crop: Any, flip: Any, values: Sequence[Callable[[Any], Any]]) -> None:
        self._crop, self._flip, self._values = crop, flip, values
        self._tables: dict[int, nd.NDArray] = {}  # by number of channels

    def __call__(self, x: Any) -> Any:
        """Return the result of applying the transforms in sequence."""
        x = as_image(x)
        if not self._fits(x):
            return self._one_by_one(x)
        try:
            tables = self._tables_of(x.shape[2])
        except ShapeError:  # the unfused transforms raise the error with the image's shape
            return self._one_by_one(x)
        height, width = x.shape[:2]
        top = left = 0
        if self._crop is not None:
            top, left = (margin // 2 for margin in self._crop._margins(x))
            height, width = self._crop._height, self._crop._width
        is_mirrored = self._flip is not None and self._flip.draws_mirror()
        return kernels.look_up_bytes(x, tables, top, left, height, width, is_mirrored)

    def _fits(self, x: Any) -> bool:
        """Return whether `x` is a uint8 image outside of a recorded graph."""
        if type(x) is not nd.NDArray or x.ndim != 3 or not x.size or x.dtype is not np.uint8:
            return False
        crop = self._crop
        if crop is not None and (x.shape[0] < crop._height or x.shape[1] < crop._width):
            return False  # the crop enlarges it
        return not (autograd.is_recording() and needs_gradient(x)) and not any(
            map(_has_hooks, self._all)
        )

    @property
    def _all(self) -> list[Any]:
        transforms = (self._crop, self._flip, *self._values)
        return [transform for transform in transforms if transform is not None]

    def _one_by_one(self, x: Any) -> Any:
        for transform in self._all:
            x = transform(x)
        return x

    def _tables_of(self, channels: int) -> nd.NDArray:
        tables = self._tables.get(channels)
        if tables is None:
            column = np.arange(256, dtype=np.uint8).reshape(256, 1, 1)
            x = nd.array(np.repeat(column, channels, axis=2), dtype="uint8")
            for transform in self._values:
                x = transform(x)
            tables = self._tables[channels] = x.reshape((channels, 256))
        return tables


def _has_hooks(transform: Any) -> bool:
    """Return whether a transform has hooks, which must see its input and output."""
    return bool(transform._forward_hooks or transform._forward_pre_hooks)
