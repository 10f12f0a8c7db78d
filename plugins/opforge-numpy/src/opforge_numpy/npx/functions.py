"""Functions of `mx.npx` that are not single operators; they take arrays or symbols."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import from_numpy, scalar_of
from ..symbols.namespace import is_symbol, namespace_of

__all__ = [
    "cond",
    "constraint_check",
    "foreach",
    "index_add",
    "index_update",
    "masked_log_softmax",
    "masked_softmax",
    "nonzero",
    "while_loop",
]


def foreach(body: Callable[..., Any], data: Any, init_states: Any) -> Any:
    """Run a loop over the first axis of arrays; see `nd.contrib.foreach`."""
    return namespace_of(data, init_states).contrib.foreach(body, data, init_states)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
) -> Any:
    """Run a loop while a condition holds; see `nd.contrib.while_loop`."""
    contrib = namespace_of(loop_vars).contrib
    return contrib.while_loop(cond, func, loop_vars, max_iterations)


def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
    """Run one of two functions; see `nd.contrib.cond`."""
    return namespace_of(pred).contrib.cond(pred, then_func, else_func)


def nonzero(a: Any) -> Any:
    """Return the indices of the elements that are not 0, one row for each.

    Returns
    -------
    ndarray of int64, shape (number of elements, ``a.ndim``)

    Examples
    --------
    >>> from opforge import np, npx
    >>> npx.nonzero(np.array([[0, 5], [7, 0]]))
    array([[0, 1],
           [1, 0]], dtype=int64)
    """
    F = namespace_of(a)
    if not is_symbol(a):
        return from_numpy(np.argwhere(np.atleast_1d(a.asnumpy())), a)
    rows = F.reshape(F.contrib.index_array(a), shape=(-1, 0), reverse=True)
    return F.contrib.boolean_mask(rows, F.reshape(a != 0, shape=(-1,)))


def constraint_check(condition: Any, msg: str = "Constraint violated!") -> Any:
    """Return True as an array if all elements are true.

    Parameters
    ----------
    condition : ndarray of bool
    msg : str
        Text of the error.

    Raises
    ------
    MXNetError
        An element is false; its cause is a ValueError with the text.

    Examples
    --------
    >>> from opforge import np, npx
    >>> npx.constraint_check(np.array([2, 3]) > 1)
    array(True)
    """
    F = namespace_of(condition)
    checked = F._internal._npx_constraint_check(condition, msg=msg)
    return scalar_of(F.Cast(checked, dtype="bool"))


#: Value of masked elements before the softmax, finite in float16 too.
_LOWEST = -6e4


def masked_softmax(
    data: Any, mask: Any = None, axis: int = -1, temperature: float | None = 1.0
) -> Any:
    """Return the softmax over the elements whose mask is true, and 0 elsewhere.

    Parameters
    ----------
    data : ndarray
    mask : ndarray of bool, optional
        Broadcasts with `data`.
    axis : int, default -1
    temperature : float, default 1.0

    Examples
    --------
    >>> from opforge import np, npx
    >>> npx.masked_softmax(np.array([1, 1, 5]), np.array([True, True, False]))
    array([0.5, 0.5, 0. ])
    """
    return _masked_softmax("softmax", 0, data, mask, axis, temperature)


def masked_log_softmax(
    data: Any, mask: Any = None, axis: int = -1, temperature: float | None = 1.0
) -> Any:
    """Return the logarithm of `masked_softmax`: minus infinity where the mask is false."""
    return _masked_softmax("log_softmax", float("-inf"), data, mask, axis, temperature)


def _masked_softmax(
    name: str, rest: float, data: Any, mask: Any, axis: int, temperature: Any
) -> Any:
    F = namespace_of(data, mask)
    function = getattr(F, name)
    if mask is None:
        return function(data, axis=axis, temperature=temperature)
    kept = F.broadcast_like(mask, data)
    chosen = F.where(kept, data, F.ones_like(data) * _LOWEST)
    return F.where(
        kept, function(chosen, axis=axis, temperature=temperature), F.ones_like(data) * rest
    )


def index_add(a: Any, ind: Any, val: Any) -> Any:
    """Return `a` with values added at indices; repeated indices add up.

    Parameters
    ----------
    a : ndarray
    ind : ndarray of int, shape (k, n)
        Indices along the first k axes, one column for each entry.
    val : ndarray
        Broadcasts to the entries, shape ``(n,) + a.shape[k:]``.

    Examples
    --------
    >>> from opforge import np, npx
    >>> npx.index_add(np.zeros(3), np.array([[0, 0]], dtype="int32"), np.array([1, 2]))
    array([3., 0., 0.])
    """
    F = namespace_of(a, ind, val)
    entries = F.broadcast_like(val, F.gather_nd(a, ind))
    return a + F._internal._backward_gather_nd(entries, a, ind)


def index_update(a: Any, ind: Any, val: Any) -> Any:
    """Return `a` with values in place of the entries at indices; see `index_add`.

    Examples
    --------
    >>> from opforge import np, npx
    >>> npx.index_update(np.ones(3), np.array([[0]], dtype="int32"), np.array([5]))
    array([5., 1., 1.])
    """
    F = namespace_of(a, ind, val)
    entries = F.broadcast_like(val, F.gather_nd(a, ind))
    written = F.scatter_nd(F.ones_like(entries), ind, shape=a.shape)
    return F.where(written, F.scatter_nd(entries, ind, shape=a.shape), a)
