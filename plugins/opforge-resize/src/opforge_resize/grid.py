"""GridGenerator: sampling grids from affine maps or flow fields."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError


def expect_affine(operator: str, shape: Any, target: tuple[int, ...]) -> tuple[int, int]:
    """Return the height and width of `target`; raise ShapeError if it or the maps are invalid.

    Parameters
    ----------
    operator : str
        Name for errors.
    shape : sequence of int
        Shape of the affine maps.
    target : tuple of int
        The attribute ``target_shape``.
    """
    if len(shape) != 2 or shape[1] not in (0, 6):
        raise ShapeError(
            f"operator '{operator}': affine maps have shape {tuple(shape)}; expected (n, 6), the "
            "rows of a 2 x 3 matrix for each image"
        )
    if len(target) != 2 or 0 in target:
        raise ShapeError(
            f"operator '{operator}': target_shape is {target}; expected a height and a width of at "
            "least 1"
        )
    return target[0], target[1]


class GridGenerator(OperatorProp):
    """Generate a grid of positions from -1 to 1 for BilinearSampler.

    Examples
    --------
    >>> from opforge import nd
    >>> identity = nd.array([[1, 0, 0, 0, 1, 0]])
    >>> grid = nd.GridGenerator(identity, transform_type="affine", target_shape=(2, 2))
    >>> grid.asnumpy().tolist()  # x, then y, of each position
    [[[[-1.0, 1.0], [-1.0, 1.0]], [[-1.0, -1.0], [1.0, 1.0]]]]
    """

    name = "GridGenerator"
    dtypes = ("floating",)
    category = "vision"
    argument_docs = {
        "data": "'affine': (n, 6), the rows of 2 x 3 matrices; 'warp': (n, 2, height, width), "
        "offsets to the right and down in pixels"
    }
    transform_type = Attribute(
        str, choices=("affine", "warp"), doc="Meaning of the data: affine maps, or a flow field."
    )
    target_shape = Attribute(
        Shape, default=(0, 0), ge=0, doc="Height and width of the grid, for 'affine'."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (n, 2, height, width)."""
        data = in_shape[0]
        if not data:
            return in_shape, [None], []
        if self.transform_type == "affine":
            size = expect_affine(self.name, data, self.target_shape)
            return [(data[0], 6)], [(data[0], 2, *size)], []
        if len(data) != 4 or data[1] not in (0, 2):
            raise ShapeError(
                f"operator '{self.name}': a flow field has shape {tuple(data)}; expected "
                "(n, 2, height, width)"
            )
        return in_shape, [tuple(data)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Map all positions of an image, or shift them by the flow field."""
        n, _, height, width = self.infer_shape([tuple(data.shape)])[1][0]
        if self.transform_type == "affine":
            positions = [_coordinates(F, axis, height, width, data.dtype) for axis in (1, 0)]
            ones = F.ones((height * width,), dtype=data.dtype)
            matrix = F.reshape(data, shape=(n * 2, 3))
            mapped = F.dot(matrix, F.stack(*positions, ones, axis=0))
            return F.reshape(mapped, shape=(n, 2, height, width))
        offsets = [
            F.slice_axis(data, axis=1, begin=at, end=at + 1) * (2.0 / max(length - 1, 1))
            for at, length in enumerate((width, height))
        ]
        identity = [
            F.reshape(_coordinates(F, axis, height, width, data.dtype), shape=(1, 1, height, width))
            for axis in (1, 0)
        ]
        return F.broadcast_add(F.concat(*offsets, dim=1), F.concat(*identity, dim=1))


def _coordinates(F: Any, axis: int, height: int, width: int, dtype: Any) -> Any:
    """Return the row (axis 0) or column (1) of each pixel, from -1 to 1; 0 for a single one."""
    length = (height, width)[axis]
    steps = F.arange(length, dtype=dtype) * (2.0 / max(length - 1, 1)) - (length > 1)
    shape = (height, 1) if axis == 0 else (1, width)
    spread = F.broadcast_to(F.reshape(steps, shape=shape), shape=(height, width))
    return F.reshape(spread, shape=(height * width,))
