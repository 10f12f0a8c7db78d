"""Transforms that change the colors of images at random: by operators of opforge-image.

Without that plugin the first call says what to install. An image has shape (height, width,
channels) with red first.
"""

from typing import Any

from ....plugin.modules import plugin_module
from ...base_block import Block
from ...hybrid_block import HybridBlock

__all__ = [
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomGray",
    "RandomHue",
    "RandomLighting",
    "RandomSaturation",
]


class _RandomFactor(HybridBlock):
    """Transforms by an operator that draws a factor around 1."""

    #: The operator.
    operator: str

    def __init__(self, width: float) -> None:
        super().__init__()
        self._limits = {"min_factor": max(0, 1 - width), "max_factor": 1 + width}

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the changed image."""
        return getattr(F.image, self.operator)(x, **self._limits)


class RandomBrightness(_RandomFactor):
    """Multiply an image by a random factor.

    Parameters
    ----------
    brightness : float
        How far from 1 the factor may be.
    """

    operator = "random_brightness"

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)


class RandomContrast(_RandomFactor):
    """Move an image away from its mean gray, or towards it, by a random factor.

    Parameters
    ----------
    contrast : float
        How far from 1 the factor may be.
    """

    operator = "random_contrast"

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)


class RandomSaturation(_RandomFactor):
    """Move each pixel away from its gray, or towards it, by a random factor.

    Parameters
    ----------
    saturation : float
        How far from 1 the factor may be.
    """

    operator = "random_saturation"

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)


class RandomHue(_RandomFactor):
    """Turn the hues of an image at random.

    Parameters
    ----------
    hue : float
        How far they may be turned, as a part of the circle.
    """

    operator = "random_hue"

    def __init__(self, hue: float) -> None:
        super().__init__(hue)


class RandomColorJitter(HybridBlock):
    """Change brightness, contrast, saturation and hue of an image at random, in any order.

    Parameters
    ----------
    brightness, contrast, saturation, hue : float, default 0
        How far each may change.
    """

    def __init__(
        self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ) -> None:
        super().__init__()
        self._widths = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the changed image."""
        return F.image.random_color_jitter(x, *self._widths)


class RandomLighting(HybridBlock):
    """Add light of a random color, along the axes in which the colors of ImageNet vary.

    Parameters
    ----------
    alpha : float
        Deviation of how much of each axis.
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the changed image."""
        return F.image.random_lighting(x, alpha_std=self._alpha)


class RandomGray(Block):
    """Take the colors out of some of the images.

    Parameters
    ----------
    p : float, default 0.5
        Probability.
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self._p = p

    def forward(self, x: Any) -> Any:
        """Return the image or its gray, of the same type."""
        gray = plugin_module("image").RandomGrayAug(self._p)
        return gray(x.astype("float32")).astype(x.dtype)
