"""`SparseVariable`: gradients of sparse arrays.

The tape records dense arrays only. It represents a sparse variable or result by a stand-in, an
array without elements. Each dense copy that a recorded call receives is linked to the stand-in, and
a sparse result is linked to the result of the same call with dense copies. The gradients of all
uses are thus accumulated.
"""

from typing import Any

from ... import autograd
from ...native.dispatch import tape
from .._operators import operators
from .python_operators import PythonOperators

__all__ = ["SparseVariable", "on_tape"]


def on_tape(copy: Any, source: Any) -> Any:
    """Return `copy`, a new array with the elements of `source`, linked to it while recording.

    Parameters
    ----------
    copy, source : NDArray of any storage type
    """
    if tape.recording() and tape.leads(source):
        tape.lead_to(copy, source)
    return copy


class SparseVariable(PythonOperators):
    """A sparse array that may have a gradient, sparse or dense."""

    __slots__ = ("stand_in",)

    #: Representation on the tape; None for a constant.
    stand_in: Any

    @property
    def grad(self) -> Any:
        """Gradient that a backward pass computed; None before `attach_grad`."""
        return tape.grad_of(self)

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Allocate a gradient of zeros, `grad`, which backward passes will write.

        Parameters
        ----------
        grad_req : {"write", "add", "null"}, default "write"
            Whether they overwrite or accumulate it; ``"null"`` makes the array a constant again.
        stype : {"default", "csr", "row_sparse"}, optional
            Storage type of the gradient; default: that of the array.

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

    def backward(
        self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Compute the gradients of this array; see `autograd.backward`.

        Parameters
        ----------
        out_grad : NDArray of any storage type, optional
            Gradient of this array; by default ones, also for elements that are not stored.
        retain_graph : bool, default False
            Keep the graph for another pass.
        train_mode : bool, default True
        """
        head = None if out_grad is None else [out_grad]
        autograd.backward([self], head, retain_graph, train_mode)
