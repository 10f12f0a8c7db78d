"""`rand_zipfian` of `nd.contrib` and `sym.contrib`: classes drawn by Zipf's law."""

import math
from typing import Any

from opforge import ndarray as nd
from opforge import symbol as sym
from opforge.base.context import Context, current_context
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

__all__ = ["sampled_arrays", "sampled_symbols"]


def sampled_arrays(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Draw classes with replacement, a class c with a probability of about 1 / (c + 1).

    The probability is ``log((c + 2) / (c + 1)) / log(range_max + 1)``, which suits words that are
    numbered by decreasing frequency.

    Parameters
    ----------
    true_classes : NDArray, shape (n,)
        Classes of which to return the expected number of draws.
    num_sampled : int
        Number of draws.
    range_max : int
        Number of classes.
    ctx : Context, optional
        Default: the current one.

    Returns
    -------
    NDArray of int64, shape (num_sampled,)
        The drawn classes.
    NDArray of float64, shape (n,)
        Expected number of draws of each of `true_classes`.
    NDArray of float64, shape (num_sampled,)
        The same for the drawn classes.
    """
    ctx = ctx or current_context()
    uniform = nd.random.uniform(
        0, math.log(range_max + 1), shape=(num_sampled,), dtype="float64", ctx=ctx
    )
    return _draw(true_classes.as_in_context(ctx), uniform, num_sampled, range_max)


def sampled_symbols(
    true_classes: Symbol, num_sampled: int, range_max: int
) -> tuple[Symbol, Symbol, Symbol]:
    """Return the symbols of the draws; see `sampled_arrays`.

    Parameters
    ----------
    true_classes : Symbol
    num_sampled, range_max : int
    """
    uniform = sym.random.uniform(0, math.log(range_max + 1), shape=(num_sampled,), dtype="float64")
    return _draw(true_classes, uniform, num_sampled, range_max)


def _draw(true_classes: Any, uniform: Any, num_sampled: int, range_max: int) -> Any:
    # Rounding may give range_max itself.
    classes = (uniform.exp() - 1).astype("int64") % range_max

    def expected(values: Any) -> Any:
        values = values.astype("float64")
        return ((values + 2) / (values + 1)).log() * (num_sampled / math.log(range_max + 1))

    return classes, expected(true_classes), expected(classes)
