"""`FusedTransforms`: the end of the usual chains of image transforms in one native pass.

``CenterCrop``, ``RandomFlipLeftRight``, ``ToTensor`` and ``Normalize``, in this order, make numbers
of bytes, and each number depends on one byte and its channel. The values that the transforms give
for the 256 bytes are computed once, so that results are equal bit for bit.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .... import ndarray as nd
from ....base.errors import ShapeError
from ....native.calls.byte_images import look_up_bytes
from ....native.dispatch import tape
from ....ndarray import NDArray

__all__ = ["FusedTransforms"]


class FusedTransforms:
    """Transforms from a cut of bytes to normalized planes, as one function.

    Parameters
    ----------
    cut : CenterCrop, optional
    flip : RandomFlipLeftRight, optional
    values : sequence of callable
        `ToTensor` and `Normalize` transforms.
    """

    def __init__(self, cut: Any, flip: Any, values: Sequence[Callable[[Any], Any]]) -> None:
        self._cut, self._flip, self._values = cut, flip, values
        self._tables: dict[int, NDArray] = {}  # by number of channels

    def __call__(self, x: Any) -> Any:
        """Return what the transforms return one after the other."""
        if not self._fits(x):
            return self._one_by_one(x)
        try:
            tables = self._tables_of(x.shape[2])
        except ShapeError:  # the transforms name the image's own shape
            return self._one_by_one(x)
        height, width = x.shape[:2]
        top = left = 0
        if self._cut is not None:
            top, left = (margin // 2 for margin in self._cut._margins(x))
            height, width = self._cut._height, self._cut._width
        mirrored = self._flip is not None and self._flip.draws_mirror()
        return look_up_bytes(x, tables, top, left, height, width, mirrored)

    def _fits(self, x: Any) -> bool:
        """Return whether `x` is an image of bytes that is not differentiated."""
        if type(x) is not NDArray or x.ndim != 3 or not x.size or x.dtype is not np.uint8:
            return False
        cut = self._cut
        if cut is not None and (x.shape[0] < cut._height or x.shape[1] < cut._width):
            return False  # the cut enlarges it
        return not (tape.recording() and tape.in_graph(x)) and not any(map(_is_watched, self._all))

    @property
    def _all(self) -> list[Any]:
        return [each for each in (self._cut, self._flip, *self._values) if each is not None]

    def _one_by_one(self, x: Any) -> Any:
        for transform in self._all:
            x = transform(x)
        return x

    def _tables_of(self, channels: int) -> NDArray:
        found = self._tables.get(channels)
        if found is None:
            column = np.arange(256, dtype=np.uint8).reshape(256, 1, 1)
            x = nd.array(np.repeat(column, channels, axis=2), dtype="uint8")
            for transform in self._values:
                x = transform(x)
            found = self._tables[channels] = x.reshape((channels, 256))
        return found


def _is_watched(transform: Any) -> bool:
    """Return whether a transform has hooks, which are called with what it gets and returns."""
    return bool(transform._forward_hooks or transform._forward_pre_hooks)
