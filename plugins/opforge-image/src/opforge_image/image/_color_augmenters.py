"""Augmenters of colors, for images (height, width, 3) of a floating type with red first.

Those that scale and add change the image that they are given, as MXNet's do: `CastAug`, which
stands before them, has made it theirs.
"""

import random
from typing import Any

import numpy as np

from opforge.plugin_api import F

from ..colors import (
    LUMA,
    RGB_TO_YIQ,
    YIQ_TO_RGB,
    adjust_brightness_,
    adjust_contrast_,
    adjust_saturation_,
    rotate_hue,
)
from ._augmenter import Augmenter, RandomOrderAug

__all__ = [
    "BrightnessJitterAug",
    "CastAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "HueJitterAug",
    "LightingAug",
    "RandomGrayAug",
    "SaturationJitterAug",
    "color_normalize",
]

_LUMA = np.array(LUMA, np.float32).reshape(1, 1, 3)


def color_normalize(src: Any, mean: Any, std: Any = None) -> Any:
    """Subtract a mean from an image and divide it by a deviation, in place.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels), floating
    mean, std : NDArray or None
        One number, or one for each channel.

    Examples
    --------
    >>> color_normalize(F.ones((1, 1, 3)), F.array([1.0, 2.0, 3.0])).asnumpy().tolist()
    [[[0.0, -1.0, -2.0]]]
    """
    if mean is not None:
        src -= mean
    if std is not None:
        src /= std
    return src


def _factor(width: float) -> float:
    return 1.0 + random.uniform(-width, width)


class CastAug(Augmenter):
    """Convert to another type.

    Parameters
    ----------
    typ : str, default "float32"
    """

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: Any) -> Any:
        """Return a copy of this type."""
        return src.astype(self.typ)


class BrightnessJitterAug(Augmenter):
    """Multiply by a random factor.

    Parameters
    ----------
    brightness : float
        How far from 1 the factor may be.
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: Any) -> Any:
        """Return the image."""
        return adjust_brightness_(src, _factor(self.brightness))


class ContrastJitterAug(Augmenter):
    """Move an image away from its mean gray, or towards it, by a random factor.

    Parameters
    ----------
    contrast : float
        How far from 1 the factor may be.
    """

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast
        self.coef = F.array(_LUMA)

    def __call__(self, src: Any) -> Any:
        """Return the image."""
        return adjust_contrast_(src, _factor(self.contrast), self.coef)


class SaturationJitterAug(Augmenter):
    """Move each pixel away from its gray, or towards it, by a random factor.

    Parameters
    ----------
    saturation : float
        How far from 1 the factor may be.
    """

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation
        self.coef = F.array(_LUMA)

    def __call__(self, src: Any) -> Any:
        """Return the image."""
        return adjust_saturation_(src, _factor(self.saturation), self.coef)


class HueJitterAug(Augmenter):
    """Turn the colors around the grays by a random angle.

    Parameters
    ----------
    hue : float
        The largest angle, as a part of half the circle.
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue
        self.tyiq, self.ityiq = RGB_TO_YIQ, YIQ_TO_RGB

    def __call__(self, src: Any) -> Any:
        """Return the image."""
        return rotate_hue(src, random.uniform(-self.hue, self.hue) * np.pi, self.tyiq, self.ityiq)


class ColorJitterAug(RandomOrderAug):
    """Change brightness, contrast and saturation, in random order.

    Parameters
    ----------
    brightness, contrast, saturation : float
        How far from 1 each factor may be; 0 leaves it out.
    """

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = (
            (BrightnessJitterAug, brightness),
            (ContrastJitterAug, contrast),
            (SaturationJitterAug, saturation),
        )
        super().__init__([kind(width) for kind, width in kinds if width > 0])


class LightingAug(Augmenter):
    """Add light of a random color, along given axes.

    Parameters
    ----------
    alphastd : float
        Deviation of how much of each.
    eigval : array_like, shape (3,)
    eigvec : array_like, shape (3, 3)
        Eigenvalues, and eigenvectors as columns.
    """

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd = alphastd
        self.eigval = eigval
        self.eigvec = eigvec

    def __call__(self, src: Any) -> Any:
        """Return the image."""
        alpha = np.random.normal(0, self.alphastd, size=(3,))
        src += F.array(np.dot(np.asarray(self.eigvec) * alpha, self.eigval), dtype=src.dtype)
        return src


class ColorNormalizeAug(Augmenter):
    """Subtract a mean and divide by a deviation.

    Parameters
    ----------
    mean, std : array_like or None
        One number, or one for each channel.
    """

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean, self.std = (
            value if value is None or isinstance(value, F.NDArray) else F.array(value)
            for value in (mean, std)
        )

    def __call__(self, src: Any) -> Any:
        """Return the image."""
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Take the colors out of some of the images.

    Parameters
    ----------
    p : float
        Probability.
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p
        self.mat = F.array([[0.21] * 3, [0.72] * 3, [0.07] * 3])

    def __call__(self, src: Any) -> Any:
        """Return the image or its gray."""
        return F.dot(src, self.mat) if random.random() < self.p else src
