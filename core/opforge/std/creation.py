"""Operators without inputs: constants and ranges."""

from math import ceil
from typing import Any

import numpy as np

from ..native import calls
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.attribute import Shape as Ints
from ._operator import StdOperator, store

__all__ = ["spaced"]

_CTX = "Ignored; the current context is used."


def spaced(start: float, count: int, step: float, dtype: Any) -> np.ndarray:
    """Return `count` values that begin with `start`, with a distance of `step`.

    In float32, operands are rounded first, which gives the same values as NumPy and MXNet; all
    other types are converted from float64.

    Parameters
    ----------
    start, step : float
    count : int
    dtype : NumPy type
        Type of the array for the values.
    """
    kind: Any = np.float32 if np.dtype(dtype) == np.float32 else np.float64
    return np.arange(count).astype(kind) * kind(step) + kind(start)


class _Creation(StdOperator):
    arguments = ()
    output_dtypes = {"output": "dtype"}
    differentiable = False
    attrs = {"IsConstant": True}
    shape = Attribute(Ints, default=(), doc="Shape of the result.")
    ctx = Attribute(str, default="", doc=_CTX)
    dtype = Attribute(DType, default="float32", doc="Element type.")

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        # 0 and -1 are unknown dimensions in graphs, which other operators may determine.
        return [tuple(max(dim, 0) for dim in self.shape)]

    def values(self) -> Any:
        """Return the elements as a NumPy array, or a number for all of them."""
        return 0

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the elements."""
        value = self.values()
        if req[0] == "write" and not isinstance(value, np.ndarray):
            calls.fill(out_data[0], value)
        else:
            store(out_data[0], np.broadcast_to(value, out_data[0].shape), req[0])


class Zeros(_Creation):
    """Return zeros."""

    name = "_zeros"


class Ones(_Creation):
    """Return ones."""

    name = "_ones"

    def values(self) -> Any:
        return 1


class Full(_Creation):
    """Return an array filled with a value."""

    name = "_full"
    value = Attribute(float, doc="The value.")

    def values(self) -> Any:
        return self.value


class Arange(_Creation):
    """Return evenly spaced values in a half-open interval, each repeated."""

    name = "_arange"
    shape = None
    start = Attribute(float, default=0.0, doc="First value.")
    stop = Attribute(float, default=None, doc="End, exclusive; None: `start` is the end.")
    step = Attribute(float, default=1.0, doc="Distance between values.")
    repeat = Attribute(int, default=1, ge=1, doc="Number of repetitions of each value.")
    infer_range = Attribute(bool, default=False, doc="Ignored; the range must be given.")

    def _range(self) -> tuple[float, int]:
        start, stop = (0.0, self.start) if self.stop is None else (self.start, self.stop)
        return start, max(ceil((stop - start) / self.step), 0)

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(self._range()[1] * self.repeat,)]

    def values(self) -> Any:
        start, count = self._range()
        steps = spaced(start, count, self.step, self.dtype)
        return steps if self.repeat == 1 else np.repeat(steps, self.repeat)


class Linspace(_Creation):
    """Return `num` evenly spaced values from `start` to `stop`."""

    name = "_linspace"
    shape = None
    start = Attribute(float, default=0.0, doc="First value.")
    stop = Attribute(float, default=1.0, doc="Last value.")
    num = Attribute(int, default=50, ge=0, doc="Number of values.")
    endpoint = Attribute(bool, default=True, doc="Whether `stop` is the last value.")

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(self.num,)]

    def values(self) -> Any:
        return np.linspace(self.start, self.stop, self.num, endpoint=self.endpoint)


class Eye(_Creation):
    """Return a matrix with ones on a diagonal."""

    name = "_eye"
    shape = None
    N = Attribute(int, ge=0, doc="Number of rows.")
    M = Attribute(int, default=0, ge=0, doc="Number of columns; 0: that of rows.")
    k = Attribute(int, default=0, doc="Index of the diagonal.")

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(self.N, self.M or self.N)]

    def values(self) -> Any:
        return np.eye(self.N, self.M or self.N, self.k)
