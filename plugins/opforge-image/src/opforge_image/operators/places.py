"""Parts of images and their mirror images: `_image_crop`, `_image_flip_*`."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError

from .layouts import check_image


class Crop(OperatorProp):
    """Cut a part out of an image, or out of all of a batch.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.crop(nd.ones((8, 9, 3)), x=2, y=1, width=5, height=4).shape
    (4, 5, 3)
    """

    name = "_image_crop"
    category = "vision"
    argument_docs = {"data": "shape (h, w, c) or (n, h, w, c)"}
    x = Attribute(int, ge=0, doc="Columns left of it.")
    y = Attribute(int, ge=0, doc="Rows above it.")
    width = Attribute(int, ge=1, doc="Its columns.")
    height = Attribute(int, ge=1, doc="Its rows.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the part."""
        data = tuple(in_shape[0])
        if not data:
            return in_shape, [()], []
        check_image("crop", data)
        height, width, channels = data[-3:]
        if self.x + self.width > width or self.y + self.height > height:
            raise ShapeError(
                f"crop: the part from x={self.x}, y={self.y} is {self.width} wide and "
                f"{self.height} high, and leaves the image, which is {width} wide and {height} "
                "high"
            )
        return [data], [(*data[:-3], self.height, self.width, channels)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Slice the two axes."""
        self.infer_shape([data.shape])
        batch = (None,) * (len(data.shape) - 3)
        begin = (*batch, self.y, self.x, None)
        end = (*batch, self.y + self.height, self.x + self.width, None)
        return F.slice(data, begin=begin, end=end)


class _Flip(OperatorProp):
    """Base class of flips: shape and axis."""

    argument_docs = {"data": "shape (h, w, c)"}
    #: Which is reversed.
    axis = 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the image's shape."""
        if in_shape[0]:
            check_image(self.name.removeprefix("_image_"), in_shape[0], batches=False)
        return in_shape, [in_shape[0]], []

    def compose(self, F: Any, data: Any) -> Any:
        """Reverse the axis."""
        self.infer_shape([data.shape])
        return F.flip(data, axis=self.axis)


class FlipLeftRight(_Flip):
    """Return the mirror image of an image.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.image.flip_left_right(nd.array([[[1.0], [2.0]]])).asnumpy().tolist()
    [[[2.0], [1.0]]]
    """

    name = "_image_flip_left_right"
    category = "vision"


class FlipTopBottom(_Flip):
    """Turn an image upside down."""

    name = "_image_flip_top_bottom"
    category = "vision"
    axis = 0


class _RandomFlip(_Flip):
    """Base class of random flips: half of the images are flipped."""

    def compose(self, F: Any, data: Any) -> Any:
        """Toss a coin."""
        self.infer_shape([data.shape])
        if F._random_uniform(low=0.0, high=1.0, shape=(1,)).asscalar() < 0.5:
            return F.flip(data, axis=self.axis)
        return F.identity(data)


class RandomFlipLeftRight(_RandomFlip):
    """Return an image or its mirror image, at random."""

    name = "_image_random_flip_left_right"
    category = "vision"
    # Not a part of a graph, which would compute both and choose: most of the work for nothing.
    shapes_from_values = True


class RandomFlipTopBottom(_RandomFlip):
    """Turn an image upside down, or not, at random."""

    name = "_image_random_flip_top_bottom"
    category = "vision"
    shapes_from_values = True
    axis = 0


OPERATORS = (Crop, FlipLeftRight, FlipTopBottom, RandomFlipLeftRight, RandomFlipTopBottom)
