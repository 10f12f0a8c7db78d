"""Augmenters that resize, cut and mirror."""

import random
import warnings
from typing import Any

from opforge.plugin_api import F

from ._augmenter import Augmenter
from ._cropping import center_crop, random_crop, random_size_crop
from ._resizing import force_resize, resize_short

__all__ = [
    "CenterCropAug",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "RandomCropAug",
    "RandomSizedCropAug",
    "ResizeAug",
]


class _Sized(Augmenter):
    """Base class with a size and an interpolation."""

    def __init__(self, size: Any, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp


class ResizeAug(_Sized):
    """Resize the shorter side to a length.

    Parameters
    ----------
    size : int
    interp : int, default 2
        As for `imresize`.
    """

    def __call__(self, src: Any) -> Any:
        """Return the resized image."""
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(_Sized):
    """Resize, whatever the ratio of the sides.

    Parameters
    ----------
    size : (int, int)
        Width and height.
    interp : int, default 2
        As for `imresize`.
    """

    def __call__(self, src: Any) -> Any:
        """Return the resized image."""
        return force_resize(src, self.size, self.interp)


class RandomCropAug(_Sized):
    """Cut a part out at a random position; see `random_crop`.

    Parameters
    ----------
    size : (int, int)
        Width and height.
    interp : int, default 2
        As for `imresize`.
    """

    def __call__(self, src: Any) -> Any:
        """Return the part."""
        return random_crop(src, self.size, self.interp)[0]


class CenterCropAug(_Sized):
    """Cut the middle out; see `center_crop`.

    Parameters
    ----------
    size : (int, int)
        Width and height.
    interp : int, default 2
        As for `imresize`.
    """

    def __call__(self, src: Any) -> Any:
        """Return the middle."""
        return center_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Cut a part of random position, area and ratio out, and resize it; see `random_size_crop`.

    Parameters
    ----------
    size : (int, int)
        Width and height that the part gets.
    area : float or (float, float)
    ratio : (float, float)
    interp : int, default 2
        As for `imresize`.
    min_area : float, optional
        The old name of `area`.
    """

    def __init__(self, size: Any, area: Any, ratio: Any, interp: int = 2, **kwargs: Any) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size = size
        self.area = area
        if "min_area" in kwargs:
            warnings.warn(
                "min_area is deprecated; use area instead", DeprecationWarning, stacklevel=2
            )
            self.area = kwargs.pop("min_area")
        if kwargs:
            raise TypeError(f"RandomSizedCropAug: unexpected arguments {', '.join(kwargs)}")
        self.ratio = ratio
        self.interp = interp

    def __call__(self, src: Any) -> Any:
        """Return the part."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class HorizontalFlipAug(Augmenter):
    """Mirror some of the images.

    Parameters
    ----------
    p : float
        Probability.
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        """Return the image or its mirror image."""
        return F.flip(src, axis=1) if random.random() < self.p else src
