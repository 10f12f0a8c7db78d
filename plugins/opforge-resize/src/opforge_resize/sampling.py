"""Images read at places of a grid: BilinearSampler, and SpatialTransformer, which makes it."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError, native

from .grid import expect_affine
from .images import LIBRARY, expect_image, floating_types


class BilinearSampler(native.NativeOperator):
    """Read images at the places of a grid, between pixels linearly; outside all is 0."""

    name = "BilinearSampler"
    category = "vision"
    library = LIBRARY
    arguments = ("data", "grid")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "grid": "(n, 2, rows, columns): column and row of each place, from -1 to 1",
    }
    cudnn_off = Attribute(
        bool, default=None, optional=True, doc="Accepted for MXNet's sake: there is no cuDNN."
    )
    saves = ("inputs",)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's images and channels with the grid's rows and columns."""
        if not all(in_shape):
            return in_shape, [None], []
        data = expect_image(self.name, in_shape[0])
        grid = expect_image(self.name, in_shape[1], "grid")
        if (grid[0] != data[0] and grid[0] and data[0]) or grid[1] not in (0, 2):
            raise ShapeError(
                f"operator '{self.name}': grid has shape {grid}, expected ({data[0]}, 2, rows, "
                f"columns) because data has shape {data}"
            )
        n = data[0] or grid[0]
        return [(n, *data[1:]), (n, 2, *grid[2:])], [(n, data[1], *grid[2:])], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data."""
        return floating_types(self.name, in_type)


class SpatialTransformer(OperatorProp):
    """Read images at places that an affine map of each makes of a grid."""

    name = "SpatialTransformer"
    category = "vision"
    arguments = ("data", "loc")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "loc": "(n, 6), the rows of a 2 x 3 matrix for each image",
    }
    target_shape = Attribute(Shape, default=(0, 0), ge=0, doc="Height and width of the result.")
    transform_type = Attribute(str, choices=("affine",), doc="What `loc` is.")
    sampler_type = Attribute(str, choices=("bilinear",), doc="How images are read.")
    cudnn_off = Attribute(
        bool, default=None, optional=True, doc="Accepted for MXNet's sake: there is no cuDNN."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape with the wanted height and width."""
        if not in_shape[0]:
            return in_shape, [None], []
        data = expect_image(self.name, in_shape[0])
        loc = in_shape[1] or (data[0], 6)
        size = expect_affine(self.name, loc, self.target_shape)
        return [data, (data[0], 6)], [(*data[:2], *size)], []

    def compose(self, F: Any, data: Any, loc: Any) -> Any:
        """Make the grid and sample."""
        grid = F.GridGenerator(loc, transform_type="affine", target_shape=self.target_shape)
        return F.BilinearSampler(data, grid)


OPERATORS = (BilinearSampler, SpatialTransformer)
