"""`CreateAugmenter`: standard list of augmenters."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import F

from ..colors import IMAGENET_EIGENVALUES, IMAGENET_EIGENVECTORS
from ._augmenter import Augmenter
from ._color_augmenters import (
    CastAug,
    ColorJitterAug,
    ColorNormalizeAug,
    HueJitterAug,
    LightingAug,
    RandomGrayAug,
)
from ._geometry_augmenters import (
    CenterCropAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomSizedCropAug,
    ResizeAug,
)

__all__ = ["CreateAugmenter", "color_augmenters"]

#: Mean and standard deviation of ImageNet's red, green and blue.
_MEAN = (123.68, 116.28, 103.53)
_STD = (58.395, 57.12, 57.375)


def CreateAugmenter(
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """Return a list of augmenters in order of application.

    Parameters
    ----------
    data_shape : (int, int, int)
        Channels, height and width of the result.
    resize : int, default 0
        If positive, first resize the shorter side to this length.
    rand_crop : bool, default False
        Crop at a random position instead of the center.
    rand_resize : bool, default False
        Crop a random area and aspect ratio; requires `rand_crop`.
    rand_mirror : bool, default False
        Mirror half of the images.
    mean, std : array_like of 1 or 3 numbers, or True, optional
        Mean to subtract and deviation to divide by; True: ImageNet's.
    brightness, contrast, saturation, hue : float, default 0
        Largest random change of each.
    pca_noise : float, default 0
        Standard deviation of light along ImageNet's principal components.
    rand_gray : float, default 0
        Probability of a gray image.
    inter_method : int, default 2
        As for `imresize`.

    Examples
    --------
    >>> [type(a).__name__ for a in CreateAugmenter((3, 8, 8), rand_mirror=True, mean=True)]
    ['CenterCropAug', 'HorizontalFlipAug', 'CastAug', 'ColorNormalizeAug']
    """
    size = (data_shape[2], data_shape[1])
    augmenters: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        if not rand_crop:
            raise ValueError("CreateAugmenter: rand_resize requires rand_crop=True")
        augmenters.append(RandomSizedCropAug(size, 0.08, (3.0 / 4.0, 4.0 / 3.0), inter_method))
    elif rand_crop:
        augmenters.append(RandomCropAug(size, inter_method))
    else:
        augmenters.append(CenterCropAug(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    colors = (brightness, contrast, saturation)
    return augmenters + color_augmenters(colors, hue, pca_noise, rand_gray, mean, std, F.array)


def color_augmenters(
    jitter: tuple[float, float, float],
    hue: float,
    pca_noise: float,
    rand_gray: float,
    mean: Any,
    std: Any,
    array: Callable[[Any], Any],
) -> list[Augmenter]:
    """Return the color augmenters of `CreateAugmenter` and `CreateDetAugmenter`.

    Parameters
    ----------
    jitter : (float, float, float)
        Brightness, contrast and saturation.
    hue, pca_noise, rand_gray, mean, std
        As for `CreateAugmenter`.
    array : callable
        Converts ImageNet's mean and deviation to arrays.
    """
    augmenters: list[Augmenter] = [CastAug()]
    if any(jitter):
        augmenters.append(ColorJitterAug(*jitter))
    if hue:
        augmenters.append(HueJitterAug(hue))
    if pca_noise > 0:
        augmenters.append(LightingAug(pca_noise, IMAGENET_EIGENVALUES, IMAGENET_EIGENVECTORS))
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    mean = array(_MEAN) if mean is True else _numbers("mean", mean)
    std = array(_STD) if std is True else _numbers("std", std)
    if mean is not None or std is not None:
        augmenters.append(ColorNormalizeAug(mean, std))
    return augmenters


def _numbers(name: str, given: Any) -> Any:
    """Return an array of one or three numbers, or None if none are passed."""
    if given is None or given is False:
        return None
    numbers = given if isinstance(given, F.NDArray) else np.asarray(given, np.float32)
    if numbers.shape not in ((1,), (3,)):
        raise ValueError(
            f"{name} has shape {numbers.shape}; expected 1 or 3 numbers, or True for ImageNet's"
        )
    return numbers
