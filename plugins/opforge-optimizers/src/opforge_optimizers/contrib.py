"""MXNet's ``contrib.adamw_update`` and similar, which accept numbers and lists of arrays."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import F, sym

__all__ = [
    "adamw_update",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
]


def adamw_update(
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    rescale_grad: Any,
    lr: float,
    eta: float,
    **kwargs: Any,
) -> Any:
    """Update a weight by Adam with decoupled weight decay; see `nd._internal._adamw_update`.

    Parameters
    ----------
    weight, grad, mean, var : NDArray or Symbol
    rescale_grad : float, NDArray or Symbol
    lr, eta : float
    **kwargs
        Attributes of the operator, and ``out``.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> w = nd.contrib.adamw_update(weight, nd.array([2]), mean, var, 1.0, lr=0.1, eta=1)
    >>> print(w.asnumpy().round(3))
    [0.684]
    """
    arrays = [weight, grad, mean, var, _factor(rescale_grad, weight)]
    return _namespace(weight)._internal._adamw_update(*arrays, lr=lr, eta=eta, **kwargs)


def mp_adamw_update(
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    weight32: Any,
    rescale_grad: Any,
    lr: float,
    eta: float,
    **kwargs: Any,
) -> Any:
    """Update a 16-bit weight with a float32 copy; see `nd._internal._mp_adamw_update`.

    Parameters
    ----------
    weight, grad, mean, var, weight32 : NDArray or Symbol
    rescale_grad : float, NDArray or Symbol
    lr, eta : float
    **kwargs
        Attributes of the operator, and ``out``.
    """
    arrays = [weight, grad, mean, var, weight32, _factor(rescale_grad, weight)]
    return _namespace(weight)._internal._mp_adamw_update(*arrays, lr=lr, eta=eta, **kwargs)


def multi_adamw_update(
    weights: Any,
    grads: Any,
    mean: Any,
    var: Any,
    rescale_grad: Any,
    lrs: Any,
    wds: Any,
    etas: Any,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """Update several weights by Adam with decoupled weight decay.

    Parameters
    ----------
    weights, grads, mean, var : list of NDArray
    rescale_grad : float or NDArray
    lrs, wds, etas : list of float
    size : int, optional
        Number of weights; that of the list by default.
    **kwargs
        Attributes of the operator, and ``out``.

    Examples
    --------
    >>> from opforge import nd
    >>> arrays = [nd.array([1])], [nd.array([2])], [nd.zeros(1)], [nd.zeros(1)]
    >>> w = nd.contrib.multi_adamw_update(*arrays, 1.0, lrs=[0.1], wds=[0], etas=[1])
    >>> print(w.asnumpy().round(3))
    [0.684]
    """
    arrays = _interleave(weights, grads, mean, var)
    return F._internal._multi_adamw_update(
        *arrays,
        _factor(rescale_grad, weights[0]),
        lrs=lrs,
        wds=wds,
        etas=etas,
        num_weights=size or len(weights),
        **kwargs,
    )


def multi_mp_adamw_update(
    weights: Any,
    grads: Any,
    mean: Any,
    var: Any,
    weights32: Any,
    rescale_grad: Any,
    lrs: Any,
    wds: Any,
    etas: Any,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """Update several 16-bit weights with float32 copies by Adam with decoupled weight decay.

    Parameters
    ----------
    weights, grads, mean, var, weights32 : list of NDArray
    rescale_grad : float or NDArray
    lrs, wds, etas : list of float
    size : int, optional
        Number of weights; that of the list by default.
    **kwargs
        Attributes of the operator, and ``out``.
    """
    arrays = _interleave(weights, grads, mean, var, weights32)
    return F._internal._multi_mp_adamw_update(
        *arrays,
        _factor(rescale_grad, weights[0]),
        lrs=lrs,
        wds=wds,
        etas=etas,
        num_weights=size or len(weights),
        **kwargs,
    )


def multi_lamb_update(
    weights: Any,
    grads: Any,
    mean: Any,
    var: Any,
    step_count: Any,
    lrs: Any,
    wds: Any,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """Update several weights by LAMB.

    Parameters
    ----------
    weights, grads, mean, var : list of NDArray
    step_count : list of int
        Number of updates of each weight, including this one.
    lrs, wds : list of float
    num_tensors : int, optional
        Number of weights; that of the list by default.
    **kwargs
        Attributes of the operator, and ``out``.

    Examples
    --------
    >>> from opforge import nd
    >>> weights, grads = [nd.array([3, 4])], [nd.array([1, 1])]
    >>> arrays = weights, grads, [nd.zeros(2)], [nd.zeros(2)]
    >>> w = nd.contrib.multi_lamb_update(*arrays, step_count=[1], lrs=[0.1], wds=[0])
    >>> print(w.asnumpy().round(3))
    [2.646 3.646]
    """
    return F._internal._multi_lamb_update(
        *_interleave(weights, grads, mean, var),
        learning_rates=lrs,
        wds=wds,
        step_count=step_count,
        num_tensors=num_tensors or len(weights),
        **kwargs,
    )


def multi_mp_lamb_update(
    weights: Any,
    grads: Any,
    mean: Any,
    var: Any,
    weights32: Any,
    step_count: Any,
    lrs: Any,
    wds: Any,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """Update several 16-bit weights with float32 copies by LAMB.

    Parameters
    ----------
    weights, grads, mean, var, weights32 : list of NDArray
    step_count : list of int
        Number of updates of each weight, including this one.
    lrs, wds : list of float
    num_tensors : int, optional
        Number of weights; that of the list by default.
    **kwargs
        Attributes of the operator, and ``out``.
    """
    return F._internal._multi_mp_lamb_update(
        *_interleave(weights, grads, mean, var, weights32),
        learning_rates=lrs,
        wds=wds,
        step_count=step_count,
        num_tensors=num_tensors or len(weights),
        **kwargs,
    )


def _namespace(weight: Any) -> Any:
    """Return `sym` for symbols, `nd` for arrays."""
    return sym if isinstance(weight, sym.Symbol) else F


def _factor(rescale_grad: Any, weight: Any) -> Any:
    """Return the factor of gradients as an input of the operator."""
    if isinstance(rescale_grad, F.NDArray | sym.Symbol):
        return rescale_grad
    if isinstance(weight, sym.Symbol):
        return sym.full((1,), rescale_grad, dtype="float32")
    return F.full((1,), rescale_grad, weight.context, "float32")


def _interleave(*groups: Sequence[Any]) -> list[Any]:
    """Return the arrays of the first weight, those of the second, and so on."""
    return [array for arrays in zip(*groups, strict=True) for array in arrays]


_WITH_SYMBOLS = ("adamw_update", "mp_adamw_update")
#: Functions by module of opforge.
ALIASES = {
    "ndarray.contrib": {name: f"{__name__}:{name}" for name in __all__},
    "symbol.contrib": {name: f"{__name__}:{name}" for name in _WITH_SYMBOLS},
}
