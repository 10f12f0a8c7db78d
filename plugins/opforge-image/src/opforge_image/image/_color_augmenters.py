"""Color augmenters for images (height, width, 3) of a floating type with red first.

Like MXNet's, augmenters that scale or add change images in place; `CastAug`, which precedes them,
has copied the image.
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
from ._augmenter import Augmenter, OccasionalAugmenter, RandomOrderAug

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
    """Subtract the mean from an image and divide by the standard deviation, in place.

    Parameters
    ----------
    src : NDArray, shape (height, width, channels), floating
    mean, std : NDArray or None
        One number, or one per channel.

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
        """Return a converted copy."""
        return src.astype(self.typ)


class BrightnessJitterAug(Augmenter):
    """Multiply by a random factor.

    Parameters
    ----------
    brightness : float
        Largest deviation of the factor from 1.
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        return adjust_brightness_(src, _factor(self.brightness))


class ContrastJitterAug(Augmenter):
    """Scale the difference of an image to its mean gray level by a random factor.

    Parameters
    ----------
    contrast : float
        Largest deviation of the factor from 1.
    """

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast
        self.coef = F.array(_LUMA)

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        return adjust_contrast_(src, _factor(self.contrast), self.coef)


class SaturationJitterAug(Augmenter):
    """Scale the difference of each pixel to its gray level by a random factor.

    Parameters
    ----------
    saturation : float
        Largest deviation of the factor from 1.
    """

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation
        self.coef = F.array(_LUMA)

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        return adjust_saturation_(src, _factor(self.saturation), self.coef)


class HueJitterAug(Augmenter):
    """Rotate the hue by a random angle.

    Parameters
    ----------
    hue : float
        Largest angle as a share of half the circle.
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue
        self.tyiq, self.ityiq = RGB_TO_YIQ, YIQ_TO_RGB

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        return rotate_hue(src, random.uniform(-self.hue, self.hue) * np.pi, self.tyiq, self.ityiq)


class ColorJitterAug(RandomOrderAug):
    """Change brightness, contrast and saturation in random order.

    Parameters
    ----------
    brightness, contrast, saturation : float
        Largest deviation of each factor from 1; 0 skips the change.
    """

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        augmenters = (
            (BrightnessJitterAug, brightness),
            (ContrastJitterAug, contrast),
            (SaturationJitterAug, saturation),
        )
        super().__init__([augmenter(width) for augmenter, width in augmenters if width > 0])


class LightingAug(Augmenter):
    """Add light of a random color along given axes (PCA noise).

    Parameters
    ----------
    alphastd : float
        Standard deviation of the coefficients.
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
        """Return the changed image."""
        alpha = np.random.normal(0, self.alphastd, size=(3,))
        src += F.array(np.dot(np.asarray(self.eigvec) * alpha, self.eigval), dtype=src.dtype)
        return src


class ColorNormalizeAug(Augmenter):
    """Subtract the mean and divide by the standard deviation.

    Parameters
    ----------
    mean, std : array_like or None
        One number, or one per channel.
    """

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean, self.std = (
            value if value is None or isinstance(value, F.NDArray) else F.array(value)
            for value in (mean, std)
        )

    def __call__(self, src: Any) -> Any:
        """Return the changed image."""
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(OccasionalAugmenter):
    """Convert images to gray with probability `p`."""

    def __init__(self, p: float) -> None:
        super().__init__(p)
        self.mat = F.array([[0.21] * 3, [0.72] * 3, [0.07] * 3])

    def change(self, src: Any) -> Any:
        """Return the gray image."""
        return F.dot(src, self.mat)
