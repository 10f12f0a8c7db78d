"""depth_to_space and space_to_depth: reshapes and transposes between channels and pixel blocks."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError

from .images import expect_image


class _Blocks(OperatorProp):
    """Base class of both operators: the block size and divisibility checks."""

    category = "shape"
    argument_docs = {"data": "(n, channels, height, width)"}
    block_size = Attribute(int, ge=1, le=32768, doc="Height and width of a block.")

    def _expect_multiple(self, shape: Any, axis: int, of: int) -> None:
        if shape[axis] % of:
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(shape)}; expected a multiple of "
                f"{of} on axis {axis} because block_size={self.block_size}"
            )


class DepthToSpace(_Blocks):
    """Rearrange channels into blocks of pixels: fewer channels, larger images.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.arange(4).reshape((1, 4, 1, 1))
    >>> nd.depth_to_space(x, block_size=2).asnumpy().tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """

    name = "depth_to_space"

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the enlarged images."""
        if not in_shape[0]:
            return in_shape, [None], []
        n, c, h, w = expect_image(self.name, in_shape[0])
        b = self.block_size
        self._expect_multiple((n, c, h, w), 1, b * b)
        return in_shape, [(n, c // (b * b), h * b, w * b)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Move the two leading factors of the channel axis after height and width."""
        n, c, h, w = expect_image(self.name, data.shape)
        out, b = self.infer_shape([data.shape])[1][0], self.block_size
        split = data.reshape((n, b, b, c // (b * b), h, w))
        return F.transpose(split, axes=(0, 3, 4, 1, 5, 2)).reshape(out)


class SpaceToDepth(_Blocks):
    """Rearrange blocks of pixels into channels: more channels, smaller images.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.arange(4).reshape((1, 1, 2, 2))
    >>> nd.space_to_depth(x, block_size=2).shape
    (1, 4, 1, 1)
    """

    name = "space_to_depth"

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the reduced images."""
        if not in_shape[0]:
            return in_shape, [None], []
        n, c, h, w = expect_image(self.name, in_shape[0])
        b = self.block_size
        for axis in (2, 3):
            self._expect_multiple((n, c, h, w), axis, b)
        return in_shape, [(n, c * b * b, h // b, w // b)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Move the second factors of height and width before the channels."""
        n, c, h, w = expect_image(self.name, data.shape)
        out, b = self.infer_shape([data.shape])[1][0], self.block_size
        split = data.reshape((n, c, h // b, b, w // b, b))
        return F.transpose(split, axes=(0, 3, 5, 1, 2, 4)).reshape(out)
