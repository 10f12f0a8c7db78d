"""Random integers, choices, orders and counts."""

from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import array_classes

from ...arguments import as_array, scalar_of, stored, with_shape
from ...arrays import adopt
from ...symbols.namespace import is_symbol, namespace_of
from .continuous import gumbel
from .drawing import Size, context_of, result_shape, standard

__all__ = [
    "choice",
    "multinomial",
    "permutation",
    "randint",
    "shuffle",
]

NDArray = array_classes.NDArray


def randint(
    low: int,
    high: int | None = None,
    size: Size = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw integers uniformly from [low, high), or from [0, low) without `high`.

    The other parameters are those of `uniform`; `dtype` is 'int64' (default) or 'int32'.

    Examples
    --------
    >>> from opforge import np
    >>> np.random.randint(1, size=2)
    array([0, 0], dtype=int64)
    """
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise ValueError(f"np.random.randint: low is {low}, expected less than high={high}")
    kind = np.dtype("int64" if dtype in (None, int) else dtype).name
    drawn = standard(namespace_of(), "randint", size, (), kind, ctx, low=int(low), high=int(high))
    return stored(drawn, out)


def choice(
    a: Any,
    size: Size = None,
    replace: bool = True,
    p: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw entries of an array along the first axis.

    Parameters
    ----------
    a : int or ndarray
        An integer n stands for 0, ..., n - 1.
    size : int or tuple of int, optional
        Default: a single entry.
    replace : bool, default True
        Whether an entry may be drawn more than once.
    p : ndarray, shape (n,), optional
        Probabilities of the entries. Default: all are equal.
    ctx, out : optional
        As for `uniform`.

    Examples
    --------
    >>> from opforge import np
    >>> sorted(np.random.choice(3, 3, replace=False).tolist())
    [0, 1, 2]
    """
    F = namespace_of(a, p)
    length = a if isinstance(a, int) else a.shape[0]
    shape = result_shape("choice", size, ())
    count = prod(shape)
    if count and not length:
        raise ValueError("np.random.choice: a must not be empty")
    if not replace and count > length:
        raise ValueError(
            f"np.random.choice: {count} entries cannot be drawn from {length} without replacement"
        )
    if replace:
        index = _with_replacement(F, length, count, p, context_of((a, p), ctx))
    else:
        index = _without_replacement(F, length, count, p, context_of((a, p), ctx))
    if isinstance(index, NDArray):
        index = with_shape(adopt(index), shape or (1,))
    else:
        index = F.reshape(index, shape=shape or (1,))
    drawn = index if isinstance(a, int) else F.take(a, index)
    if not shape:
        has_scalars = isinstance(a, int) or is_symbol(a) or a.ndim == 1
        drawn = scalar_of(drawn) if has_scalars else F.squeeze(drawn, axis=0)
    return stored(adopt(drawn), out)


def _with_replacement(F: Any, length: int, count: int, p: Any, ctx: Any) -> Any:
    if p is None:
        return standard(F, "randint", (count,), (), "int64", ctx, low=0, high=length)
    return F._internal._sample_multinomial(as_array(p), shape=(count,), dtype="int64")


def _without_replacement(F: Any, length: int, count: int, p: Any, ctx: Any) -> Any:
    if p is None:
        with ctx:
            order = F._internal._shuffle(F.arange(0, length, dtype="int64"))
        return F.slice_axis(order, axis=0, begin=0, end=count)
    # The largest sums of logarithms and Gumbel numbers are drawn one after the other by `p`.
    weights = F.cast(as_array(p), dtype="float32")
    ranks = F.add(F.log(weights), gumbel(size=(length,), ctx=ctx))
    return F.topk(ranks, k=count, dtype="int64")


def multinomial(n: int, pvals: Any, size: Size = None, **kwargs: Any) -> Any:
    """Count the outcomes of `n` experiments with given probabilities.

    Parameters
    ----------
    n : int
    pvals : ndarray or sequence of float, shape (k,)
        Probabilities; they sum to 1.
    size : int or tuple of int, optional
        Number of repetitions.
    **kwargs
        Accepted for compatibility with MXNet.

    Returns
    -------
    ndarray of int64
        Shape of `size`, then k.

    Examples
    --------
    >>> from opforge import np
    >>> np.random.multinomial(5, [0, 1])
    array([0, 5], dtype=int64)
    """
    chances = pvals.asnumpy() if isinstance(pvals, NDArray) else np.asarray(pvals)
    chances = chances.astype(np.float64)
    if not chances.size:
        repeats = () if size is None else np.empty(size).shape
        return adopt(nd.zeros((*repeats, 0), context_of((pvals,)), "int64"))
    if chances.sum() > 1 + 1e-5:
        raise ValueError(f"np.random.multinomial: pvals sum to {chances.sum()}, expected 1")
    stream = np.random.default_rng(randint(2**31, size=4).asnumpy().tolist())
    counts = stream.multinomial(n, chances / max(chances.sum(), 1), size)
    return adopt(nd.array(counts, context_of((pvals,)), "int64"))


def shuffle(x: Any) -> None:
    """Shuffle the entries along the first axis in place."""
    nd._internal._shuffle(x, out=x)


def permutation(x: Any) -> Any:
    """Return the entries of an array along the first axis, or 0, ..., x - 1, in random order.

    Examples
    --------
    >>> from opforge import np
    >>> sorted(np.random.permutation(3).tolist())
    [0, 1, 2]
    """
    F = namespace_of(x)
    if isinstance(x, int):
        x = F.arange(0, x, dtype="int64")
    return adopt(F._internal._shuffle(x))
