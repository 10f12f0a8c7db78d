"""Channels moved into blocks of pixels and back: a transposition of axes of split shapes."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError

from .images import expect_image


class _Blocks(OperatorProp):
    """Base class of both operators: the blocks, and checks of divisibility."""

    category = "shape"
    argument_docs = {"data": "(n, channels, height, width)"}
    block_size = Attribute(int, ge=1, le=32768, doc="Height and width of a block.")

    def _expect_multiple(self, shape: Any, axis: int, of: int) -> None:
        if shape[axis] % of:
            raise ShapeError(
                f"operator '{self.name}': data has shape {tuple(shape)}, expected a multiple of "
                f"{of} on axis {axis} for block_size {self.block_size}"
            )


class DepthToSpace(_Blocks):
    """Make a block of pixels of the channels of each: fewer channels, larger images."""

    name = "depth_to_space"

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of larger images."""
        if not in_shape[0]:
            return in_shape, [None], []
        n, c, h, w = expect_image(self.name, in_shape[0])
        b = self.block_size
        self._expect_multiple((n, c, h, w), 1, b * b)
        return in_shape, [(n, c // (b * b), h * b, w * b)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Move the two first parts of the channels behind height and width."""
        n, c, h, w = expect_image(self.name, data.shape)
        out, b = self.infer_shape([data.shape])[1][0], self.block_size
        split = F.reshape(data, shape=(n, b, b, c // (b * b), h, w))
        return F.reshape(F.transpose(split, axes=(0, 3, 4, 1, 5, 2)), shape=out)


class SpaceToDepth(_Blocks):
    """Make channels of each block of pixels: more channels, smaller images."""

    name = "space_to_depth"

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of smaller images."""
        if not in_shape[0]:
            return in_shape, [None], []
        n, c, h, w = expect_image(self.name, in_shape[0])
        b = self.block_size
        for axis in (2, 3):
            self._expect_multiple((n, c, h, w), axis, b)
        return in_shape, [(n, c * b * b, h // b, w // b)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Move the second parts of height and width before the channels."""
        n, c, h, w = expect_image(self.name, data.shape)
        out, b = self.infer_shape([data.shape])[1][0], self.block_size
        split = F.reshape(data, shape=(n, c, h // b, b, w // b, b))
        return F.reshape(F.transpose(split, axes=(0, 3, 5, 1, 2, 4)), shape=out)


OPERATORS = (DepthToSpace, SpaceToDepth)
