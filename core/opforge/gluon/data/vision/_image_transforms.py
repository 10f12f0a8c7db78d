"""Transforms that resize and turn images: by operators and functions of opforge-image.

Without that plugin the first call says what to install. An image has shape (height, width,
channels) with red first.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....plugin.modules import plugin_module
from ...base_block import Block
from ...hybrid_block import HybridBlock

__all__ = [
    "CropResize",
    "RandomApply",
    "RandomResizedCrop",
    "RandomRotation",
    "Resize",
    "Rotate",
    "resized_middle",
]

Size = int | tuple[int, int]


def resized_middle(x: Any, size: tuple[int, int], interpolation: int) -> Any:
    """Return the middle of an image, enlarged to a size (width, height)."""
    return plugin_module("image").center_crop(x, size, interpolation)[0]


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


class Resize(HybridBlock):
    """Resize an image or a batch of images (n, h, w, c).

    Parameters
    ----------
    size : int or (width, height)
    keep_ratio : bool, default False
        An int is the length of the shorter side.
    interpolation : int, default 1
        As for `mx.image.imresize`, from 0 to 4.
    """

    def __init__(self, size: Size, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._arguments = {"size": size, "keep_ratio": keep_ratio, "interp": interpolation}

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the resized image."""
        return F.image.resize(x, **self._arguments)


class CropResize(HybridBlock):
    """Cut a part out of an image or of each of a batch, and resize it if a size is given.

    Parameters
    ----------
    x, y : int
        Its left column and its first row.
    width, height : int
    size : int or (width, height), optional
    interpolation : int, optional
        As for `Resize`.
    """

    def __init__(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        size: Size | None = None,
        interpolation: int | None = None,
    ) -> None:
        super().__init__()
        self._part = {"x": x, "y": y, "width": width, "height": height}
        self._size = size
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the part."""
        part = F.image.crop(x, **self._part)
        if self._size is None:
            return part
        return F.image.resize(part, size=self._size, interp=self._interpolation)


class RandomResizedCrop(Block):
    """Cut a part of random position, area and ratio out of an image, and resize it.

    Parameters
    ----------
    size : int or (width, height)
    scale : (float, float), default (0.08, 1.0)
        Share of the image's area.
    ratio : (float, float), default (3 / 4, 4 / 3)
        Ratio of width to height.
    interpolation : int, default 1
        As for `mx.image.imresize`.
    """

    def __init__(
        self,
        size: Size,
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ) -> None:
        super().__init__()
        self._arguments = (_pair(size), scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        """Return the part."""
        return plugin_module("image").random_size_crop(x, *self._arguments)[0]


class Rotate(Block):
    """Turn an image (c, h, w) or a batch (n, c, h, w) of float32; see `mx.image.imrotate`.

    Parameters
    ----------
    rotation_degrees : float
    zoom_in, zoom_out : bool, default False
    """

    def __init__(
        self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False
    ) -> None:
        super().__init__()
        self._arguments = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """Return the turned image."""
        _check_float32(self, x)
        return plugin_module("image").imrotate(x, *self._arguments)


class RandomRotation(Block):
    """Turn an image (c, h, w) or a batch (n, c, h, w) of float32 by a random angle.

    Parameters
    ----------
    angle_limits : (float, float)
        The least and the largest angle, in degrees.
    zoom_in, zoom_out : bool, default False
        As for `mx.image.imrotate`.
    rotate_with_proba : float, default 1.0
        Probability of turning it at all.
    """

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        low, high = angle_limits
        if low >= high:
            raise ValueError(
                f"RandomRotation: angle_limits is {angle_limits}, expected a smaller and a larger "
                "angle"
            )
        if not 0 <= rotate_with_proba <= 1:
            raise ValueError(
                f"RandomRotation: rotate_with_proba is {rotate_with_proba}, expected 0 to 1"
            )
        self._arguments = (angle_limits, zoom_in, zoom_out)
        self._probability = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """Return the image, turned or not."""
        if np.random.random() > self._probability:
            return x
        _check_float32(self, x)
        return plugin_module("image").random_rotate(x, *self._arguments)


def _check_float32(transform: Block, x: Any) -> None:
    if np.dtype(x.dtype) != np.float32:
        raise TypeError(
            f"{type(transform).__name__}: the image has elements of {np.dtype(x.dtype)}, "
            "expected float32: put it after ToTensor"
        )


class RandomApply(Block):
    """Apply a transform to some of the images.

    Parameters
    ----------
    transforms : callable or list of callable
    p : float, default 0.5
        Probability.

    Examples
    --------
    >>> RandomApply(lambda x: -x, p=1.0)(3)
    -3
    """

    def __init__(
        self, transforms: Callable[[Any], Any] | Sequence[Callable[[Any], Any]], p: float = 0.5
    ) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        """Return the image, transformed or not."""
        if self.p < random.random():
            return x
        for transform in [self.transforms] if callable(self.transforms) else self.transforms:
            x = transform(x)
        return x
