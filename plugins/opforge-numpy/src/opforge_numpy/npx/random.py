"""`npx.random`: random numbers beyond `np.random`."""

import math
from typing import Any

import numpy as np

from ..arguments import stored
from ..np.random import seed
from ..np.random.continuous import normal, uniform
from ..np.random.drawing import float_type, parameter, standard
from ..symbols.namespace import is_symbol, namespace_of

__all__ = ["bernoulli", "normal_n", "seed", "uniform_n"]


def bernoulli(
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw 1 with a probability, else 0.

    Parameters
    ----------
    prob, logit : float or ndarray
        The probability, or the logarithm of its odds; exactly one of them.
    size : int or tuple of int, optional
        Default: the shape of the parameter.
    dtype : default 'float32'
    ctx : Context, optional
    out : ndarray, optional
        Filled and returned.

    Examples
    --------
    >>> from opforge import npx
    >>> npx.random.bernoulli(0.5, size=(2, 3)).shape
    (2, 3)
    """
    if (prob is None) == (logit is None):
        raise ValueError("npx.random.bernoulli takes either prob or logit")
    value = parameter(logit if prob is None else prob)
    if prob is not None and not is_symbol(value):
        _expect_probabilities(value)
    F = namespace_of(value)
    if prob is None:
        value = 0.5 + math.tanh(value / 2) / 2 if isinstance(value, float) else F.sigmoid(value)
    drawn = standard(F, "uniform", size, [value], None, ctx) < value
    return stored(F.Cast(drawn, dtype=float_type(dtype)), out)


def _expect_probabilities(prob: Any) -> None:
    """Reject numbers outside of [0, 1]."""
    found = np.asarray(prob.asnumpy() if hasattr(prob, "asnumpy") else prob)
    wrong = ~((found >= 0) & (found <= 1))
    if wrong.any():
        raise ValueError(
            f"npx.random.bernoulli: prob is {found[wrong].flat[0]}, expected numbers from 0 to 1"
        )


def uniform_n(
    low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None
) -> Any:
    """Draw from uniform distributions: `batch_shape` numbers from each.

    The result has the shape `batch_shape` followed by that of the parameters.
    """
    return uniform(low, high, _broadcast_batch(batch_shape, low, high), dtype, ctx)


def normal_n(
    loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None
) -> Any:
    """Draw from normal distributions: `batch_shape` numbers from each; see `uniform_n`."""
    return normal(loc, scale, _broadcast_batch(batch_shape, loc, scale), dtype, ctx)


def _broadcast_batch(batch_shape: Any, *parameters: Any) -> Any:
    if batch_shape is None:
        return None
    batch = (batch_shape,) if isinstance(batch_shape, int) else tuple(batch_shape)
    return batch + np.broadcast_shapes(*(getattr(value, "shape", ()) for value in parameters))
