"""Augmenters that resize, crop and mirror."""

import warnings
from typing import Any

from opforge.plugin_api import F

from ._augmenter import Augmenter, OccasionalAugmenter
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
    """Base class of augmenters with a size and an interpolation."""

    def __init__(self, size: Any, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp


class ResizeAug(_Sized):
    """Resize the shorter side to a given length.

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
    """Resize to a given size, ignoring the aspect ratio.

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
    """Crop at a random position; see `random_crop`.

    Parameters
    ----------
    size, interp
        As for `random_crop`.
    """

    def __call__(self, src: Any) -> Any:
        """Return the crop."""
        return random_crop(src, self.size, self.interp)[0]


class CenterCropAug(_Sized):
    """Crop the center; see `center_crop`.

    Parameters
    ----------
    size, interp
        As for `center_crop`.
    """

    def __call__(self, src: Any) -> Any:
        """Return the crop."""
        return center_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Crop at a random position, area and aspect ratio, and resize; see `random_size_crop`.

    Parameters
    ----------
    size : (int, int)
        Width and height of the result.
    area : float or (float, float)
    ratio : (float, float)
    interp : int, default 2
        As for `imresize`.
    min_area : float, optional
        Old name of `area`.
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
        """Return the resized crop."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class HorizontalFlipAug(OccasionalAugmenter):
    """Mirror images with probability `p`."""

    def change(self, src: Any) -> Any:
        """Return the mirror image."""
        return F.flip(src, axis=1)
