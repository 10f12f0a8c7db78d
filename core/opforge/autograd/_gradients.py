"""Backward passes that write the gradients of variables or return them as new arrays."""

from collections.abc import Sequence
from typing import Any

from ..native.array import Array
from ..native.array.creation import zeros
from ..native.dispatch import backward as _backward
from ..native.dispatch import tape
from ._function import Function
from ._scopes import record

__all__ = ["backward", "grad", "mark_variables"]


def _as_list(item: Any) -> list[Any]:
    return list(item) if isinstance(item, (list, tuple)) else [item]


def mark_variables(
    variables: Any, gradients: Any, grad_reqs: "str | Sequence[str]" = "write"
) -> None:
    """Mark arrays as variables whose gradients are written to the given arrays.

    Parameters
    ----------
    variables, gradients : NDArray or list of NDArray
        The same number of each; shapes and dtypes must match pairwise.
    grad_reqs : str or list of str, default "write"
        ``"write"``, ``"add"`` or ``"null"``, one for all or one for each.
    """
    variables, gradients = _as_list(variables), _as_list(gradients)
    reqs = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(variables) == len(gradients) == len(reqs):
        raise ValueError(
            f"got {len(variables)} variables, {len(gradients)} gradients and {len(reqs)} grad_reqs"
        )
    for variable, gradient, req in zip(variables, gradients, reqs, strict=True):
        tape.mark(variable, gradient, req)


def backward(
    heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True
) -> None:
    """Compute the gradients of `heads` and store them as the variables' `grad_req` specifies.

    Parameters
    ----------
    heads : NDArray or list of NDArray
    head_grads : NDArray or list of (NDArray or None), optional
        Gradients of the heads, with their shapes; None means ones.
    retain_graph : bool, default False
        Keep the graph for another pass; otherwise its memory is freed.
    train_mode : bool, default True

    Raises
    ------
    MXNetError
        A head was not recorded, or its graph was freed.
    ShapeError
        A head gradient does not have its head's shape and dtype.
    """
    grads = None if head_grads is None else _as_list(head_grads)
    _backward.backward(_as_list(heads), grads, retain_graph, train_mode)


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    retain_graph: "bool | None" = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> Any:
    """Return the gradients of `heads` with respect to `variables` as new arrays.

    Parameters
    ----------
    heads, variables : NDArray or list of NDArray
    head_grads : NDArray or list of (NDArray or None), optional
    retain_graph : bool, optional
        Default: the value of `create_graph`.
    create_graph : bool, default False
        Record the pass itself, so that the result can be differentiated again. The gradient of
        a result that does not depend on the variables is zero.
    train_mode : bool, default True

    Returns
    -------
    list of NDArray
        One for each variable. As in MXNet, a single variable also gives a list, so that programs
        can write ``autograd.grad(y, x)[0]``.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([2.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x * x
    ...     (dx,) = autograd.grad(y, x, create_graph=True)
    >>> dx.backward()
    >>> x.grad.asscalar().item()
    12.0
    """
    grads = None if head_grads is None else _as_list(head_grads)
    wanted = _as_list(variables)
    results = _backward.gradients(
        _as_list(heads), wanted, grads, retain_graph, create_graph, train_mode
    )
    for variable, (position, result) in zip(wanted, enumerate(results), strict=True):
        if not isinstance(result, Array):
            raise ValueError(
                f"variable {position} of shape {variable.shape} is not used by the heads"
            )
        if isinstance(variable, Array) and type(result) is not type(variable):
            result.__class__ = type(variable)  # another class of arrays, see `as_class`
    if not create_graph:
        return list(results)
    with record(train_mode=train_mode):
        pairs = zip(results, wanted, strict=True)
        return [g if tape.leads(g) else _Constant()(g, variable) for g, variable in pairs]


class _Constant(Function):
    """Gradient that does not depend on the variable: its own gradient is zero."""

    def forward(self, gradient: Any, variable: Any) -> Any:
        """Return the gradient."""
        return gradient

    def backward(self, out_grad: Any) -> list[Any]:
        """Return the gradients of both arguments."""
        return [None, zeros(out_grad.shape, out_grad.dtype_code, out_grad.context)]
