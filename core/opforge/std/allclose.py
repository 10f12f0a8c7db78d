"""`contrib.allclose`: comparison of two arrays within a tolerance."""

from typing import Any

import numpy as np

from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute
from ._operator import StdOperator, shape_error, store

__all__: list[str] = []


class AllClose(StdOperator):
    """Return 1 if ``abs(a - b) <= atol + rtol * abs(b)`` for all elements, else 0.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([1, 2])
    >>> nd.contrib.allclose(x, x + 1e-7).asscalar().item()
    1
    """

    name = "_contrib_allclose"
    output_dtypes = {"output": "uint8"}
    category = "reduction"
    arguments = ("a", "b")
    differentiable = False
    rtol = Attribute(float, default=1e-5, doc="Tolerance relative to `b`.")
    atol = Attribute(float, default=1e-8, doc="Absolute tolerance.")
    equal_nan = Attribute(bool, default=True, doc="Whether nan equals nan.")

    def complete(self, shapes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        a, b = shapes
        if a and b and a != b:
            raise shape_error(self.name, f"'a' has shape {a} and 'b' {b}; expected equal shapes")
        return [a or b, b or a]

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compare as in NumPy."""
        a, b = map(numpy_alias, in_data)
        is_close = np.allclose(a, b, self.rtol, self.atol, self.equal_nan)
        store(out_data[0], np.uint8(is_close), req[0])
