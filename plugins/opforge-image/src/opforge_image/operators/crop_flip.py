"""Cropping and flipping of images: `_image_crop` and `_image_flip_*`."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError

from .layouts import check_image


class Crop(OperatorProp):
    """Crop an image or a batch of images.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.crop(nd.ones((8, 9, 3)), x=2, y=1, width=5, height=4).shape
    (4, 5, 3)
    """

    name = "_image_crop"
    category = "vision"
    argument_docs = {"data": "shape (h, w, c) or (n, h, w, c)"}
    x = Attribute(int, ge=0, doc="Left column.")
    y = Attribute(int, ge=0, doc="Top row.")
    width = Attribute(int, ge=1, doc="Number of columns.")
    height = Attribute(int, ge=1, doc="Number of rows.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the crop."""
        data = tuple(in_shape[0])
        if not data:
            return in_shape, [()], []
        check_image("crop", data)
        height, width, channels = data[-3:]
        if self.x + self.width > width or self.y + self.height > height:
            raise ShapeError(
                f"crop: the crop at x={self.x}, y={self.y} of size {self.width} x {self.height} "
                f"exceeds the image of size {width} x {height} (width x height)"
            )
        return [data], [(*data[:-3], self.height, self.width, channels)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the crop."""
        self.infer_shape([data.shape])
        batch = (None,) * (len(data.shape) - 3)
        begin = (*batch, self.y, self.x, None)
        end = (*batch, self.y + self.height, self.x + self.width, None)
        return F.slice(data, begin=begin, end=end)


class _Flip(OperatorProp):
    """Base class of flips."""

    argument_docs = {"data": "shape (h, w, c)"}
    #: Axis that is reversed.
    axis = 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the image's shape."""
        if in_shape[0]:
            check_image(self.name.removeprefix("_image_"), in_shape[0], batches=False)
        return in_shape, [in_shape[0]], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the flipped image."""
        self.infer_shape([data.shape])
        return F.flip(data, axis=self.axis)


class FlipLeftRight(_Flip):
    """Flip an image horizontally.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.flip_left_right(nd.array([[[1.0], [2.0]]])).asnumpy().tolist()
    [[[2.0], [1.0]]]
    """

    name = "_image_flip_left_right"
    category = "vision"


class FlipTopBottom(_Flip):
    """Flip an image vertically.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.flip_top_bottom(nd.array([[[1]], [[2]]])).asnumpy().ravel().tolist()
    [2.0, 1.0]
    """

    name = "_image_flip_top_bottom"
    category = "vision"
    axis = 0


class _RandomFlip(_Flip):
    """Base class of random flips with probability 0.5."""

    def compose(self, F: Any, data: Any) -> Any:
        """Return the flipped image or the image, at random."""
        self.infer_shape([data.shape])
        if F._random_uniform(low=0.0, high=1.0, shape=(1,)).asscalar() < 0.5:
            return F.flip(data, axis=self.axis)
        return F.identity(data)


class RandomFlipLeftRight(_RandomFlip):
    """Flip an image horizontally with probability 0.5.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.random_flip_left_right(nd.ones((4, 6, 3))).shape
    (4, 6, 3)
    """

    name = "_image_random_flip_left_right"
    category = "vision"
    # Excluded from graphs, which would compute both results and select one.
    shapes_from_values = True


class RandomFlipTopBottom(_RandomFlip):
    """Flip an image vertically with probability 0.5.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.random_flip_top_bottom(nd.ones((4, 6, 3))).shape
    (4, 6, 3)
    """

    name = "_image_random_flip_top_bottom"
    category = "vision"
    shapes_from_values = True
    axis = 0
