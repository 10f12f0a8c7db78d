"""Random color changes of images: `_image_random_brightness` and similar operators.

The changes are functions of `F`, so graphs compile them and derive their gradients. Results of
uint8 are truncated and clipped to [0, 255].
"""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, F

from ..colors import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .layouts import ColorOperator, to_floating, to_type_of

#: (F, image of a floating type, factor of shape (1, 1, 1)) -> image.
_Change = Callable[[Any, Any, Any], Any]


class _RandomColorChange(ColorOperator):
    """Base class of operators with a random factor in a range."""

    min_factor = Attribute(float, ge=0, doc="Smallest factor.")
    max_factor = Attribute(float, ge=0, doc="Largest factor.")
    #: Function that changes the image.
    change: _Change

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.min_factor > self.max_factor:
            raise AttributeValueError(
                f"{self.name}: min_factor is {self.min_factor}; expected at most max_factor, "
                f"{self.max_factor}"
            )

    def compose(self, F: Any, data: Any) -> Any:
        """Return the image changed by a random factor."""
        self.infer_shape([data.shape])
        image = to_floating(F, data)
        factor = _draw_factor(F, self.min_factor, self.max_factor, image)
        return to_type_of(F, type(self).change(F, image, factor), data)


def _draw_factor(F: Any, low: float, high: float, image: Any) -> Any:
    if low == high:
        return F.full(shape=(1, 1, 1), val=low, dtype=image.dtype)
    return F._random_uniform(low=low, high=high, shape=(1, 1, 1), dtype=image.dtype)


class RandomBrightness(_RandomColorChange):
    """Multiply an image by a random factor.

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


class RandomContrast(_RandomColorChange):
    """Scale the difference of an image to its mean gray level by a random factor.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.random_contrast(nd.ones((4, 4, 3)), 0.5, 1.5).shape
    (4, 4, 3)
    """

    name = "_image_random_contrast"
    category = "vision"
    change = staticmethod(adjust_contrast)


class RandomSaturation(_RandomColorChange):
    """Scale the difference of each pixel to its gray level by a random factor.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.random_saturation(nd.ones((4, 4, 3)), 0.5, 1.5).shape
    (4, 4, 3)
    """

    name = "_image_random_saturation"
    category = "vision"
    change = staticmethod(adjust_saturation)


class RandomHue(_RandomColorChange):
    """Shift the hues of an image by a random amount, where 1 is the full circle.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.random_hue(nd.ones((4, 4, 3)), 0.9, 1.1).shape
    (4, 4, 3)
    """

    name = "_image_random_hue"
    category = "vision"
    change = staticmethod(adjust_hue)


class RandomColorJitter(ColorOperator):
    """Randomly change brightness, contrast, saturation and hue of an image in random order.

    Examples
    --------
    >>> from opforge import nd
    >>> image = nd.full((2, 2, 3), 100.0)
    >>> nd.image.random_color_jitter(image, 0.1, 0.1, 0.1, 0.1).shape
    (2, 2, 3)
    """

    name = "_image_random_color_jitter"
    category = "vision"
    # Graphs cannot contain it because the order is drawn for each image.
    shapes_from_values = True
    brightness = Attribute(float, default=0.0, ge=0, doc="Largest deviation of the factor from 1.")
    contrast = Attribute(float, default=0.0, ge=0, doc="Largest deviation of the factor from 1.")
    saturation = Attribute(float, default=0.0, ge=0, doc="Largest deviation of the factor from 1.")
    hue = Attribute(
        float, default=0.0, ge=0, doc="Largest shift in either direction, as a share of the circle."
    )

    def compose(self, _: Any, data: Any) -> Any:
        """Return the changed image; each step returns data's type, like a separate call."""
        self.infer_shape([data.shape])
        steps: list[tuple[_Change, float, float]] = [
            (adjust_brightness, 1.0, self.brightness),
            (adjust_contrast, 1.0, self.contrast),
            (adjust_saturation, 1.0, self.saturation),
            (adjust_hue, 0.0, self.hue),
        ]
        order = F._random_uniform(low=0.0, high=1.0, shape=(len(steps),)).asnumpy().argsort()
        out = data
        for change, center, width in (steps[index] for index in order):
            if width > 0:
                image = to_floating(F, out)
                factor = _draw_factor(F, center - width, center + width, image)
                out = to_type_of(F, change(F, image, factor), data)
        return F.identity(data) if out is data else out
