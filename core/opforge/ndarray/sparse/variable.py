"""`SparseVariable`: gradients of sparse arrays.

The tape knows dense arrays. What it knows a sparse variable by is its stand-in, an array without
elements; each dense copy that a recorded call gets leads there. So gradients of all uses meet.
"""

from typing import Any

from ...native.array import Array
from ...native.dispatch import tape
from .._operators import operators
from .python_operators import PythonOperators

__all__ = ["SparseVariable", "in_graph", "on_tape"]


def in_graph(value: Any) -> bool:
    """Tell whether an array of any storage type leads to a variable."""
    known = value if isinstance(value, Array) else getattr(value, "stand_in", None)
    return known is not None and bool(tape.in_graph(known))


def on_tape(dense: Any, source: Any) -> Any:
    """Return `dense`, a new copy of a sparse array, which leads to `source` where one records."""
    if tape.recording() and in_graph(source):
        tape.lead_to(dense, source)
    return dense


class SparseVariable(PythonOperators):
    """A sparse array that gradients may be wanted for: they are sparse themselves, or dense."""

    __slots__ = ("stand_in",)

    #: None for a constant.
    stand_in: Any

    @property
    def grad(self) -> Any:
        """The gradient that a backward pass wrote; None before `attach_grad`."""
        return tape.grad_of(self)

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Let backward passes write this array's gradient into a new array of zeros, `grad`.

        Parameters
        ----------
        grad_req : {"write", "add", "null"}, default "write"
            Whether they overwrite it or add to it; ``"null"`` makes the array a constant again.
        stype : {"default", "csr", "row_sparse"}, optional
            Storage type of the gradient; default: the array's own.

        Examples
        --------
        >>> from opforge import autograd, nd
        >>> x = nd.ones((2, 1)).tostype("row_sparse")
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = nd.square(x) * nd.array([[1], [0]])
        >>> y.backward()
        >>> x.grad.stype, x.grad.indices.asnumpy().tolist()
        ('row_sparse', [0])
        """
        own: Any = self
        grad = operators().zeros(own.shape, own.context, own.dtype, stype or own.stype)
        tape.mark(self, grad, grad_req)
