"""BilinearSampler, and SpatialTransformer, which also generates the grid."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError, native

from .grid import expect_affine
from .images import LIBRARY, expect_image


class BilinearSampler(native.NativeOperator):
    """Sample images bilinearly at the positions of a grid; images are 0 outside.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([[[[0, 2], [4, 6]]]])
    >>> grid = nd.zeros((1, 2, 1, 1))  # x and y of the center
    >>> nd.BilinearSampler(data, grid).asnumpy().tolist()
    [[[[3.0]]]]
    """

    name = "BilinearSampler"
    category = "vision"
    library = LIBRARY
    dtypes = ("floating", "bfloat16")
    arguments = ("data", "grid")
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "grid": "(n, 2, rows, columns): column and row of each position, from -1 to 1",
    }
    cudnn_off = Attribute(
        bool, default=None, optional=True, doc="Ignored; accepted for compatibility with MXNet."
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
                f"operator '{self.name}': grid has shape {grid}; expected ({data[0]}, 2, rows, "
                f"columns) because data has shape {data}"
            )
        n = data[0] or grid[0]
        return [(n, *data[1:]), (n, 2, *grid[2:])], [(n, data[1], *grid[2:])], []


class SpatialTransformer(OperatorProp):
    """Transform images by affine maps, sampling them bilinearly.

    Examples
    --------
    >>> from opforge import nd
    >>> data, identity = nd.array([[[[0, 2], [4, 6]]]]), nd.array([[1, 0, 0, 0, 1, 0]])
    >>> y = nd.SpatialTransformer(
    ...     data, identity, target_shape=(2, 2), transform_type="affine", sampler_type="bilinear"
    ... )
    >>> y.asnumpy().tolist()
    [[[[0.0, 2.0], [4.0, 6.0]]]]
    """

    name = "SpatialTransformer"
    category = "vision"
    arguments = ("data", "loc")
    dtypes = ("floating",)
    argument_docs = {
        "data": "(n, channels, height, width), floating",
        "loc": "(n, 6), the rows of a 2 x 3 matrix for each image",
    }
    target_shape = Attribute(Shape, default=(0, 0), ge=0, doc="Height and width of the result.")
    transform_type = Attribute(str, choices=("affine",), doc="Kind of map that `loc` holds.")
    sampler_type = Attribute(str, choices=("bilinear",), doc="Interpolation between pixels.")
    cudnn_off = Attribute(
        bool, default=None, optional=True, doc="Ignored; accepted for compatibility with MXNet."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape with the requested height and width."""
        if not in_shape[0]:
            return in_shape, [None], []
        data = expect_image(self.name, in_shape[0])
        loc = in_shape[1] or (data[0], 6)
        size = expect_affine(self.name, loc, self.target_shape)
        return [data, (data[0], 6)], [(*data[:2], *size)], []

    def compose(self, F: Any, data: Any, loc: Any) -> Any:
        """Generate the grid and sample."""
        grid = F.GridGenerator(loc, transform_type="affine", target_shape=self.target_shape)
        return F.BilinearSampler(data, grid)
