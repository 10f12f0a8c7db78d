"""Colors of pictures, changed by chance: `_image_random_brightness` and its kin.

What becomes of a picture is in functions of `F`, which graphs compile, and whose gradients follow.
Bytes keep to [0, 255], fractions being cut off.
"""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, F

from ..colors import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .layouts import Colored, counted, returned

#: (F, picture in floating numbers, factor of shape (1, 1, 1)) -> picture.
_Change = Callable[[Any, Any, Any], Any]


class _Changed(Colored):
    """Base class of operators with a factor between limits."""

    min_factor = Attribute(float, ge=0, doc="The smallest factor.")
    max_factor = Attribute(float, ge=0, doc="The largest factor.")
    #: What becomes of the picture.
    change: _Change

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.min_factor > self.max_factor:
            raise AttributeValueError(
                f"{self.name}: min_factor is {self.min_factor}, expected at most max_factor, "
                f"which is {self.max_factor}"
            )

    def compose(self, F: Any, data: Any) -> Any:
        """Draw the factor and change the picture."""
        self.infer_shape([data.shape])
        picture = counted(F, data)
        factor = _drawn(F, self.min_factor, self.max_factor, picture)
        return returned(F, type(self).change(F, picture, factor), data)


def _drawn(F: Any, low: float, high: float, picture: Any) -> Any:
    if low == high:
        return F.full(shape=(1, 1, 1), val=low, dtype=picture.dtype)
    return F._random_uniform(low=low, high=high, shape=(1, 1, 1), dtype=picture.dtype)


class RandomBrightness(_Changed):
    """Multiply a picture by a factor, by chance.

    Examples
    --------
    >>> from opforge import nd
    >>> picture = nd.full((1, 1, 3), 200, dtype="uint8")
    >>> nd.image.random_brightness(picture, 1.5, 2.0).asnumpy().tolist()
    [[[255, 255, 255]]]
    """

    name = "_image_random_brightness"
    category = "vision"
    change = staticmethod(adjust_brightness)


class RandomContrast(_Changed):
    """Move a picture away from its mean gray, or towards it, by chance."""

    name = "_image_random_contrast"
    category = "vision"
    change = staticmethod(adjust_contrast)


class RandomSaturation(_Changed):
    """Move each pixel away from its gray, or towards it, by chance."""

    name = "_image_random_saturation"
    category = "vision"
    change = staticmethod(adjust_saturation)


class RandomHue(_Changed):
    """Turn the hues of a picture, by chance; a factor of 1 is the whole circle."""

    name = "_image_random_hue"
    category = "vision"
    change = staticmethod(adjust_hue)


class RandomColorJitter(Colored):
    """Change brightness, contrast, saturation and hue of a picture, by chance and in any order.

    Examples
    --------
    >>> from opforge import nd
    >>> picture = nd.full((2, 2, 3), 100.0)
    >>> nd.image.random_color_jitter(picture, 0.1, 0.1, 0.1, 0.1).shape
    (2, 2, 3)
    """

    name = "_image_random_color_jitter"
    category = "vision"
    # The order is no part of a graph: it is drawn for each picture.
    shapes_from_values = True
    brightness = Attribute(float, default=0.0, ge=0, doc="Factors are 1 less or more so much.")
    contrast = Attribute(float, default=0.0, ge=0, doc="Factors are 1 less or more so much.")
    saturation = Attribute(float, default=0.0, ge=0, doc="Factors are 1 less or more so much.")
    hue = Attribute(float, default=0.0, ge=0, doc="So much of the circle, to either side.")

    def compose(self, _: Any, data: Any) -> Any:
        """Change the picture step by step; each has the type of data, as if it were alone."""
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
                picture = counted(F, out)
                factor = _drawn(F, middle - width, middle + width, picture)
                out = returned(F, change(F, picture, factor), data)
        return F.identity(data) if out is data else out


OPERATORS = (RandomBrightness, RandomContrast, RandomSaturation, RandomHue, RandomColorJitter)
