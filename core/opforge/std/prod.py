"""Products over axes, and their gradient: for each element, the product of the others.

If the product is not 0, this is the product divided by the element. For rows that contain a zero,
prefix and suffix products are used.
"""

from typing import Any

import numpy as np

from ..base.dtypes import code_of, is_floating
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute
from ._operator import no_gradient, scratch, store
from ._shapes import kept_axes
from .reduce import Reduction

__all__: list[str] = []

Shape = tuple[int, ...]


class Prod(Reduction):
    """Product over axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.prod(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy().tolist()
    [6.0, 120.0]
    """

    name = "prod"
    kernel = "prod"
    skips_nan = False

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        attributes = (self.axis, self.keepdims, self.exclude, self.skips_nan)
        return [F._backward_prod(out_grad[0], in_data[0], out_data[0], *attributes)]


class NanProd(Prod):
    """Product over axes, with nan as 1.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.nanprod(nd.array([2, float('nan'), 3])).asnumpy().tolist()
    [6.0]
    """

    name = "nanprod"
    kernel = "nanprod"
    skips_nan = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        x = in_data[0]
        grads = super().gradient(F, out_grad, in_data, out_data)
        return [F.where(x == x, grads[0], F.zeros_like(x))]


class BackwardProd(Reduction):
    """Multiply `ograd` by the product of the other elements, for each element of `data`."""

    name = "_backward_prod"
    arguments = ("ograd", "data", "result")
    saves = ("inputs",)
    skips_nan = Attribute(bool, default=False, doc="Whether nan is replaced by 1.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._repeat = calls.Spread(self.axis, self.exclude)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Divide the product by the elements; use prefix products if that is not possible."""
        if req[0] == "null":
            return
        grad, x, y = in_data
        result = scratch(x, x.shape) if req[0] == "add" else out_data[0]
        head = scratch(y, y.shape)
        calls.binary("multiply", grad, y, head)
        self._repeat([head, x], [result], ["write"])
        calls.binary("divide", result, x, result)
        product = numpy_alias(y)
        finite = np.isfinite(product)
        if not np.count_nonzero(product) == np.count_nonzero(finite) == product.size:
            kept = kept_axes(x.shape, self.axes_of(x.shape))
            invalid = (product == 0) | ~finite
            self._multiply_others(invalid.reshape(kept), grad._view(0, kept), x, result)
        if result is not out_data[0]:
            store(out_data[0], numpy_alias(result), "add")

    def _multiply_others(self, chosen: Any, grad: Any, data: Any, result: Any) -> None:
        """Recompute the rows of `result` that are `chosen`."""
        axes = self.axes_of(data.shape)
        ends = tuple(range(-len(axes), 0))
        rows = chosen.squeeze(axes)
        x = np.moveaxis(numpy_alias(data), axes, ends)[rows]
        out = np.moveaxis(numpy_alias(result), axes, ends)
        rows_nk = x.reshape(len(x), -1)
        if self.skips_nan:
            rows_nk = np.where(rows_nk == rows_nk, rows_nk, 1)
        head_n = numpy_alias(grad).squeeze(axes)[rows].reshape(-1, 1)
        with np.errstate(all="ignore"):
            out[rows] = (head_n * _others(rows_nk)).reshape(x.shape)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        ograd, x, y = in_data
        head = out_grad[0]
        attributes = (self.axis, self.keepdims, self.exclude, self.skips_nan)
        others = F._backward_prod(F.ones_like(ograd), x, y, *attributes)
        along = F.sum(head * others, self.axis, self.keepdims, self.exclude)
        slope = self._slope(F, head, x) * self.spread(F, ograd, x)
        return [F.reshape_like(along, ograd), slope, no_gradient(F, y)]

    def _slope(self, F: Any, head: Any, x: Any) -> Any:
        """Return for each element the sum over others of `head` times the product of the rest.

        With more than two zeros among the elements, all these products are zero.
        """
        if self.skips_nan:
            x = F.where(x == x, x, F.ones_like(x))
        is_zero = x == 0.0
        filled = x + is_zero
        parts = head / filled
        rest = self._over(F, F.prod, filled)
        zeros = self._over(F, F.sum, is_zero)
        full = self._over(F, F.sum, parts * (1.0 - is_zero))
        bare = self._over(F, F.sum, parts * is_zero)
        without = rest / filled * (full - parts)
        with_one = F.where(is_zero, rest * full, rest / filled * bare)
        with_two = rest * (bare - parts) * is_zero
        more = F.where(zeros == 2.0, with_two, F.zeros_like(x))
        return F.where(zeros == 0.0, without, F.where(zeros == 1.0, with_one, more))

    def _over(self, F: Any, reduction: Any, x: Any) -> Any:
        """Return the reduction of `x`, broadcast to the shape of `x`."""
        return self.spread(F, reduction(x, self.axis, self.keepdims, self.exclude), x)


def _others(rows_nk: Any) -> Any:
    """Return the product of the other elements in the row, for each element.

    Examples
    --------
    >>> _others(np.array([[2, 0, 5]])).tolist()
    [[0, 10, 0]]
    """
    wide = np.float64 if is_floating(code_of(rows_nk.dtype)) else np.int64
    before, after = np.ones((2, *rows_nk.shape), wide)
    np.cumprod(rows_nk[:, :-1], axis=1, dtype=wide, out=before[:, 1:])
    np.cumprod(rows_nk[:, :0:-1], axis=1, dtype=wide, out=after[:, -2::-1])
    return before * after
