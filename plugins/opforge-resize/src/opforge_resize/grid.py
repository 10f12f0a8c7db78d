"""GridGenerator: places to read an image at, from an affine map or from a flow."""

from typing import Any

from opforge.plugin_api import Attribute, Floating, OperatorProp, Shape, ShapeError


def expect_affine(operator: str, shape: Any, target: tuple[int, ...]) -> tuple[int, int]:
    """Return the height and width of `target`, having rejected what is no affine map.

    Parameters
    ----------
    operator : str
        Name, for errors.
    shape : sequence of int
        Of the maps.
    target : tuple of int
        The attribute ``target_shape``.
    """
    if len(shape) != 2 or shape[1] not in (0, 6):
        raise ShapeError(
            f"operator '{operator}': affine maps have shape {tuple(shape)}, expected (n, 6): the "
            "rows of a 2 x 3 matrix for each image"
        )
    if len(target) != 2 or 0 in target:
        raise ShapeError(
            f"operator '{operator}': target_shape is {target}, expected a height and a width, both "
            "at least 1"
        )
    return target[0], target[1]


class GridGenerator(Floating, OperatorProp):
    """Make places between -1 and 1 for BilinearSampler, of an affine map or of a flow."""

    name = "GridGenerator"
    category = "vision"
    argument_docs = {
        "data": "'affine': (n, 6), the rows of matrices; 'warp': (n, 2, height, width), how many "
        "pixels further right and down to read"
    }
    transform_type = Attribute(str, choices=("affine", "warp"), doc="What the data is.")
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
                f"operator '{self.name}': a flow has shape {tuple(data)}, expected "
                "(n, 2, height, width)"
            )
        return in_shape, [tuple(data)], []

    def compose(self, F: Any, data: Any) -> Any:
        """Map all places of an image, or move them by the flow."""
        n, _, height, width = self.infer_shape([tuple(data.shape)])[1][0]
        self.infer_type([data.dtype])
        if self.transform_type == "affine":
            places = [_between(F, axis, height, width, data.dtype) for axis in (1, 0)]
            ones = F.ones((height * width,), dtype=data.dtype)
            matrix = F.reshape(data, shape=(n * 2, 3))
            mapped = F.dot(matrix, F.stack(*places, ones, axis=0))
            return F.reshape(mapped, shape=(n, 2, height, width))
        moved = [
            F.slice_axis(data, axis=1, begin=at, end=at + 1) * (2.0 / max(length - 1, 1))
            for at, length in enumerate((width, height))
        ]
        still = F.concat(
            *[
                F.reshape(_between(F, axis, height, width, data.dtype), shape=(1, 1, height, width))
                for axis in (1, 0)
            ],
            dim=1,
        )
        return F.broadcast_add(F.concat(*moved, dim=1), still)


def _between(F: Any, axis: int, height: int, width: int, dtype: Any) -> Any:
    """Return rows (axis 0) or columns (1) of all pixels, from -1 to 1; 0 where there is one."""
    length = (height, width)[axis]
    steps = F.arange(length, dtype=dtype) * (2.0 / max(length - 1, 1)) - (length > 1)
    shape = (height, 1) if axis == 0 else (1, width)
    spread = F.broadcast_to(F.reshape(steps, shape=shape), shape=(height, width))
    return F.reshape(spread, shape=(height * width,))
