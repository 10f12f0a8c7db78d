"""Conversions between indices along several axes and those into the flattened array."""

from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError, OperatorProp, Shape, ShapeError

from .arrays import store


class _Indices(OperatorProp):
    """Base class: attribute `shape`, of which only the first length may be unknown."""

    category = "shape"
    dtypes = ("floating", "integer")
    saves = ()
    attrs = {"IsPure": True}
    shape = Attribute(
        Shape, doc="Shape of the indexed array; the first length may be -1, as it is not used."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if not self.shape or min(self.shape[1:], default=1) < 1:
            raise AttributeValueError(
                f"operator '{self.name}': shape is {self.shape}; expected at least one length, and "
                "positive lengths after the first"
            )

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return None, which means 0: the operators are piecewise constant."""
        return [None]


class RavelMultiIndex(_Indices):
    """Return the index into the flattened array for each column of indices along its axes.

    Fractions are truncated. Indices are not compared with `shape`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.ravel_multi_index(nd.array([[3, 6, 6], [4, 5, 1]]), shape=(7, 6)).asnumpy().tolist()
    [22.0, 41.0, 37.0]
    """

    name = "_ravel_multi_index"
    aliases = ("ravel_multi_index",)
    argument_docs = {"data": "shape (axes, n), one row for each axis"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the number of columns."""
        data = tuple(in_shape[0])
        if not data:
            return in_shape, [None], []
        if len(data) != 2 or data[0] not in (0, len(self.shape)):
            raise self._shape_error(data)
        return [(len(self.shape), data[1])], [(data[1],)], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return one column for each result."""
        (out,) = out_shapes
        return [(len(self.shape), *out)] if out else list(in_shapes)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Multiply by the lengths and add, from the first axis to the last."""
        data = np.asarray(in_data[0])
        if len(data) != len(self.shape):
            raise self._shape_error(data.shape)
        data = _exact(data)
        flat = np.zeros(data.shape[1:], data.dtype)
        for length, along in zip(self.shape, data, strict=True):
            flat = _truncate(flat * length + along)
        store(out_data[0], flat, req[0])

    def _shape_error(self, data: tuple[int, ...]) -> ShapeError:
        return ShapeError(
            f"operator '{self.name}': data has shape {data}; expected ({len(self.shape)}, n), one "
            f"row for each length in shape={self.shape}"
        )


class UnravelIndex(_Indices):
    """Return the indices along the axes of an array for each index into the flattened array.

    Fractions are truncated. The first axis gets what exceeds `shape`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.unravel_index(nd.array([22, 41, 37]), shape=(7, 6)).asnumpy().tolist()
    [[3.0, 6.0, 6.0], [4.0, 5.0, 1.0]]
    """

    name = "_unravel_index"
    aliases = ("unravel_index",)
    argument_docs = {"data": "any shape"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape with a new first axis."""
        data = tuple(in_shape[0])
        return in_shape, [(len(self.shape), *data) if data else None], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape without the first axis."""
        (out,) = out_shapes
        return [tuple(out[1:])] if len(out) > 1 else list(in_shapes)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Divide by the lengths, from the last axis to the first."""
        data = np.asarray(in_data[0])
        rest = _truncate(_exact(data))
        found = np.empty((len(self.shape), *data.shape), rest.dtype)
        for axis in range(len(self.shape) - 1, 0, -1):
            length = self.shape[axis]
            found[axis] = np.fmod(rest, length)
            rest = (rest - found[axis]) // length
        found[0] = rest
        store(out_data[0], found, req[0])


def _exact(data: np.ndarray) -> np.ndarray:
    """Return the numbers in a type that represents large indices."""
    return data.astype(np.int64 if data.dtype.kind in "iu" else np.float64)


def _truncate(numbers: np.ndarray) -> np.ndarray:
    return numbers if numbers.dtype.kind == "i" else np.trunc(numbers)
