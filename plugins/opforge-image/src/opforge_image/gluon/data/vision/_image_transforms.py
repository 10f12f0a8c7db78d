"""Transforms that resize and rotate images.

An image has shape (height, width, channels) with RGB channels.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import Block, HybridBlock

from ....image import imrotate, random_rotate, random_size_crop
from ._images import TakesImages

__all__ = [
    "CropResize",
    "RandomApply",
    "RandomResizedCrop",
    "RandomRotation",
    "Resize",
    "Rotate",
]

Size = int | tuple[int, int]


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


class Resize(TakesImages, HybridBlock):
    """Resize an image or a batch of images (n, h, w, c).

    Parameters
    ----------
    size : int or (width, height)
    keep_ratio : bool, default False
        Treat an int as the length of the shorter side.
    interpolation : int, default 1
        Interpolation method from 0 to 4, as in `mx.image.imresize`.
    """

    def __init__(self, size: Size, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._arguments = {"size": size, "keep_ratio": keep_ratio, "interp": interpolation}

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the resized image."""
        return F.image.resize(x, **self._arguments)


class CropResize(TakesImages, HybridBlock):
    """Crop an image or each image of a batch, and resize the result if a size is given.

    Parameters
    ----------
    x, y : int
        Left column and top row of the crop.
    width, height : int
    size : int or (width, height), optional
    interpolation : int, optional
        See `Resize`.
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
        self._box = {"x": x, "y": y, "width": width, "height": height}
        self._size = size
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the crop."""
        crop = F.image.crop(x, **self._box)
        if self._size is None:
            return crop
        return F.image.resize(crop, size=self._size, interp=self._interpolation)


class RandomResizedCrop(TakesImages, Block):
    """Crop a part of random position, area and aspect ratio out of an image, and resize it.

    Parameters
    ----------
    size : int or (width, height)
    scale : (float, float), default (0.08, 1.0)
        Range of the area, as a fraction of the image's.
    ratio : (float, float), default (3 / 4, 4 / 3)
        Range of the aspect ratio, width to height.
    interpolation : int, default 1
        See `mx.image.imresize`.
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
        """Return the resized crop."""
        return random_size_crop(x, *self._arguments)[0]


class Rotate(TakesImages, Block):
    """Rotate a float32 image (c, h, w) or batch (n, c, h, w); see `mx.image.imrotate`.

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
        """Return the rotated image."""
        _check_float32(self, x)
        return imrotate(x, *self._arguments)


class RandomRotation(TakesImages, Block):
    """Rotate a float32 image (c, h, w) or batch (n, c, h, w) by a random angle.

    Parameters
    ----------
    angle_limits : (float, float)
        Smallest and largest angle, in degrees.
    zoom_in, zoom_out : bool, default False
        See `mx.image.imrotate`.
    rotate_with_proba : float, default 1.0
        Probability of rotating the image.
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
                f"RandomRotation: angle_limits is {angle_limits}; expected a smaller and a larger "
                "angle"
            )
        if not 0 <= rotate_with_proba <= 1:
            raise ValueError(
                f"RandomRotation: rotate_with_proba is {rotate_with_proba}; expected 0 to 1"
            )
        self._arguments = (angle_limits, zoom_in, zoom_out)
        self._probability = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """Return the image, possibly rotated."""
        if np.random.random() > self._probability:
            return x
        _check_float32(self, x)
        return random_rotate(x, *self._arguments)


def _check_float32(transform: Block, x: Any) -> None:
    if np.dtype(x.dtype) != np.float32:
        raise TypeError(
            f"{type(transform).__name__}: the image has elements of {np.dtype(x.dtype)}; "
            "expected float32. Apply it after ToTensor"
        )


class RandomApply(Block):
    """Apply a transform to some of the images.

    Parameters
    ----------
    transforms : callable or list of callable
    p : float, default 0.5
        Probability of applying it.

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
        """Return the image, possibly transformed."""
        if self.p < random.random():
            return x
        for transform in [self.transforms] if callable(self.transforms) else self.transforms:
            x = transform(x)
        return x
