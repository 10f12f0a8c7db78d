"""Random color transforms of images with shape (height, width, channels) and RGB channels."""

from typing import Any

from opforge.plugin_api import Block, HybridBlock

from ....image import RandomGrayAug
from ._images import TakesImages

__all__ = [
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomGray",
    "RandomHue",
    "RandomLighting",
    "RandomSaturation",
]


class _RandomFactor(TakesImages, HybridBlock):
    """Base class of transforms by an operator that draws a factor around 1."""

    #: Name of the operator.
    operator: str

    def __init__(self, width: float) -> None:
        super().__init__()
        self._limits = {"min_factor": max(0, 1 - width), "max_factor": 1 + width}

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the transformed image."""
        return getattr(F.image, self.operator)(x, **self._limits)


class RandomBrightness(_RandomFactor):
    """Multiply an image by a random factor.

    Parameters
    ----------
    brightness : float
        Maximum distance of the factor from 1.
    """

    operator = "random_brightness"

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)


class RandomContrast(_RandomFactor):
    """Blend an image with its mean gray value by a random factor.

    Parameters
    ----------
    contrast : float
        Maximum distance of the factor from 1.
    """

    operator = "random_contrast"

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)


class RandomSaturation(_RandomFactor):
    """Blend each pixel with its gray value by a random factor.

    Parameters
    ----------
    saturation : float
        Maximum distance of the factor from 1.
    """

    operator = "random_saturation"

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)


class RandomHue(_RandomFactor):
    """Rotate the hues of an image by a random amount.

    Parameters
    ----------
    hue : float
        Maximum rotation, as a fraction of the color circle.
    """

    operator = "random_hue"

    def __init__(self, hue: float) -> None:
        super().__init__(hue)


class RandomColorJitter(TakesImages, HybridBlock):
    """Randomly change brightness, contrast, saturation and hue of an image, in random order.

    Parameters
    ----------
    brightness, contrast, saturation, hue : float, default 0
        Maximum change of each property.
    """

    def __init__(
        self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ) -> None:
        super().__init__()
        self._widths = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the transformed image."""
        return F.image.random_color_jitter(x, *self._widths)


class RandomLighting(TakesImages, HybridBlock):
    """Add light of a random color, along the principal color axes of ImageNet.

    Parameters
    ----------
    alpha : float
        Standard deviation of the coefficient of each axis.
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the transformed image."""
        return F.image.random_lighting(x, alpha_std=self._alpha)


class RandomGray(TakesImages, Block):
    """Convert some of the images to gray.

    Parameters
    ----------
    p : float, default 0.5
        Probability of the conversion.
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self._p = p

    def forward(self, x: Any) -> Any:
        """Return the image or its gray version, of the same type."""
        gray = RandomGrayAug(self._p)
        return gray(x.astype("float32")).astype(x.dtype)
