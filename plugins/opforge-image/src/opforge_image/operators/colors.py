"""Colors of images, changed at random: `_image_random_brightness` and its kin.

What becomes of an image is in functions of `F`, which graphs compile, and whose gradients follow.
Bytes keep to [0, 255], fractions being cut off.
"""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, F

from ..colors import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .layouts import Colored, counted, returned

#: (F, image in floating numbers, factor of shape (1, 1, 1)) -> image.
_Change = Callable[[Any, Any, Any], Any]


class _Changed(Colored):
    """Base class of operators with a factor between limits."""

    min_factor = Attribute(float, ge=0, doc="The smallest factor.")
    max_factor = Attribute(float, ge=0, doc="The largest factor.")
    #: What becomes of the image.
    change: _Change

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.min_factor > self.max_factor:
            raise AttributeValueError(
                f"{self.name}: min_factor is {self.min_factor}, expected at most max_factor, "
                f"which is {self.max_factor}"
            )

    def compose(self, F: Any, data: Any) -> Any:
        """Draw the factor and change the image."""
        self.infer_shape([data.shape])
        image = counted(F, data)
        factor = _drawn(F, self.min_factor, self.max_factor, image)
        return returned(F, type(self).change(F, image, factor), data)


def _drawn(F: Any, low: float, high: float, image: Any) -> Any:
    if low == high:
        return F.full(shape=(1, 1, 1), val=low, dtype=image.dtype)
    return F._random_uniform(low=low, high=high, shape=(1, 1, 1), dtype=image.dtype)


class RandomBrightness(_Changed):
    """Multiply an image by a factor, at random.

    Examples
    --------
    >>> from opforge import nd
    >>> image = nd.full((1, 1, 3), 200, dtype="uint8")
    >>> nd.image.random_brightness(image, 1.5, 2.0).asnumpy().tolist()
    [[[255, 255, 255]]]
    """

    name = "_image_random_brightness"
    category = "vision"
    change = staticmethod(adjust_brightness)


class RandomContrast(_Changed):
    """Move an image away from its mean gray, or towards it, at random."""

    name = "_image_random_contrast"
    category = "vision"
    change = staticmethod(adjust_contrast)


class RandomSaturation(_Changed):
    """Move each pixel away from its gray, or towards it, at random."""

    name = "_image_random_saturation"
    category = "vision"
    change = staticmethod(adjust_saturation)


class RandomHue(_Changed):
    """Turn the hues of an image, at random; a factor of 1 is the whole circle."""

    name = "_image_random_hue"
    category = "vision"
    change = staticmethod(adjust_hue)


class RandomColorJitter(Colored):
    """Change brightness, contrast, saturation and hue of an image, at random and in any order.

    Examples
    --------
    >>> from opforge import nd
    >>> image = nd.full((2, 2, 3), 100.0)
    >>> nd.image.random_color_jitter(image, 0.1, 0.1, 0.1, 0.1).shape
    (2, 2, 3)
    """

    name = "_image_random_color_jitter"
    category = "vision"
    # The order is no part of a graph: it is drawn for each image.
    shapes_from_values = True
    brightness = Attribute(float, default=0.0, ge=0, doc="Factors are 1 less or more so much.")
    contrast = Attribute(float, default=0.0, ge=0, doc="Factors are 1 less or more so much.")
    saturation = Attribute(float, default=0.0, ge=0, doc="Factors are 1 less or more so much.")
    hue = Attribute(float, default=0.0, ge=0, doc="So much of the circle, to either side.")

    def compose(self, _: Any, data: Any) -> Any:
        """Change the image step by step; each has the type of data, as if it were alone."""
        self.infer_shape([data.shape])
        steps: list[tuple[_Change, float, float]] = [
            (adjust_brightness, 1.0, self.brightness),
            (adjust_contrast, 1.0, self.contrast),
            (adjust_saturation, 1.0, self.saturation),
            (adjust_hue, 0.0, self.hue),
        ]
        order = F._random_uniform(low=0.0, high=1.0, shape=(len(steps),)).asnumpy().argsort()
        out = data
        for change, middle, width in (steps[at] for at in order):
            if width > 0:
                image = counted(F, out)
                factor = _drawn(F, middle - width, middle + width, image)
                out = returned(F, change(F, image, factor), data)
        return F.identity(data) if out is data else out


OPERATORS = (RandomBrightness, RandomContrast, RandomSaturation, RandomHue, RandomColorJitter)
