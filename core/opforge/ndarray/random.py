"""`nd.random`: arrays of random numbers.

Each thread draws from its own stream, which `opforge.random.seed` restarts; the numbers do not
depend on the number of threads. Functions whose names end in ``_like`` are the operators
themselves. Invariant: nothing here is recorded for a gradient.
"""

import operator
from typing import Any

from ..base.context import Context
from ..base.errors import AttributeValueError
from ..base.module_aliases import add_aliases as _add_aliases
from ..base.name_hints import missing_name
from ..base.node_attributes import expect_private
from ..native.array import StoredArray
from ..native.calls import random as _native
from ..std.distribution_parameters import operator_parameters
from ._arguments import expect_array
from ._operators import operators
from ._sampling import INTS, Parameter, Shape, as_tuple, draw
from .ndarray import NDArray

__all__ = [
    "exponential",
    "exponential_like",
    "gamma",
    "gamma_like",
    "generalized_negative_binomial",
    "generalized_negative_binomial_like",
    "multinomial",
    "negative_binomial",
    "negative_binomial_like",
    "normal",
    "normal_like",
    "poisson",
    "poisson_like",
    "randint",
    "randn",
    "seed",
    "shuffle",
    "uniform",
    "uniform_like",
]


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Restart the stream of random numbers.

    Each thread has its own stream. On the main thread, this restarts all streams except those of
    threads that have called it themselves; on another thread, only the stream of that thread.
    Processes that train together with equal seeds draw different numbers in training mode, and
    equal ones otherwise.

    Parameters
    ----------
    seed_state : int
        Equal seeds give equal numbers.
    ctx : Context or 'all', default 'all'
        Accepted; all contexts share one stream.

    Raises
    ------
    ValueError
        `seed_state` is not an integer.
    """
    try:
        number = operator.index(seed_state)
    except TypeError:
        raise ValueError(f"seed_state must be int, got {seed_state!r}") from None
    _native.seed(number & 0xFFFF_FFFF_FFFF_FFFF)


def uniform(
    low: Parameter = 0,
    high: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    name: str | None = None,
    **attributes: Any,
) -> NDArray:
    """Draw from uniform distributions over [low, high).

    Parameters
    ----------
    low, high : float or NDArray
        Two NDArrays of equal shapes give one distribution per pair of elements.
    shape : int or tuple of int, optional
        Shape of the numbers to draw from each distribution; None: a single one.
    dtype : {'float32', 'float64', 'float16', 'bfloat16'}, default 'float32'
    ctx : Context, optional
        Default: the context of the parameters, else the current one.
    out : NDArray, optional
        Filled and returned; determines shape, dtype and context.
    name, **attributes : optional
        Accepted because `sym.random.uniform` takes them, for example ``__layout__``.

    Returns
    -------
    NDArray, shape ``low.shape + shape`` for NDArrays, else `shape`, or (1,) without one.

    Raises
    ------
    AttributeValueError
        `dtype` is not one of these, or a parameter is out of range.
    ShapeError
        The shapes of the parameters differ, or `out` does not have the shape `shape`.

    Examples
    --------
    >>> x = uniform(2, 3, shape=(4, 5))
    >>> x.shape, bool((x.asnumpy() >= 2).all())
    ((4, 5), True)
    """
    if attributes:
        expect_private("uniform", attributes)
    return draw("uniform", {"low": low, "high": high}, shape, dtype, ctx, out)


def normal(
    loc: Parameter = 0,
    scale: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
    name: str | None = None,
    **attributes: Any,
) -> NDArray:
    """Draw from normal distributions of mean `loc` and standard deviation `scale`.

    The other parameters are those of `uniform`.
    """
    if attributes:
        expect_private("normal", attributes)
    return draw("normal", {"loc": loc, "scale": scale}, shape, dtype, ctx, out)


def randn(*shape: int, **kwargs: Any) -> NDArray:
    """Draw from normal distributions; positional arguments are the shape, see `normal`."""
    return normal(shape=shape or (1,), **kwargs)


def exponential(
    scale: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from exponential distributions of mean `scale`; see `uniform`."""
    checked = operator_parameters("exponential", scale=scale)
    return draw("exponential", checked, shape, dtype, ctx, out)


def random_exponential(
    lam: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from exponential distributions of rate `lam` (mean ``1 / lam``); see `uniform`.

    This is MXNet's ``nd.random_exponential``; ``nd.random.exponential`` takes the mean instead.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.random_exponential(lam=4, shape=(2,)).shape
    (2,)
    """
    if not isinstance(lam, NDArray) and not lam > 0:
        raise AttributeValueError(f"random_exponential: lam is {lam!r}, expected a positive number")
    return draw("exponential", {"lam": lam}, shape, dtype, ctx, out)


def gamma(
    alpha: Parameter = 1,
    beta: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from gamma distributions of shape `alpha` and scale `beta`; see `uniform`."""
    checked = operator_parameters("gamma", alpha=alpha, beta=beta)
    return draw("gamma", checked, shape, dtype, ctx, out)


def poisson(
    lam: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw counts from Poisson distributions of mean `lam`; see `uniform`."""
    checked = operator_parameters("poisson", lam=lam)
    return draw("poisson", checked, shape, dtype, ctx, out)


def negative_binomial(
    k: Parameter = 1,
    p: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw numbers of failures before the k-th success of probability `p`; see `uniform`."""
    checked = operator_parameters("negative_binomial", k=k, p=p)
    return draw("negative_binomial", checked, shape, dtype, ctx, out)


def generalized_negative_binomial(
    mu: Parameter = 1,
    alpha: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from negative binomials with mean `mu` and dispersion `alpha`; see `uniform`."""
    name = "generalized_negative_binomial"
    checked = operator_parameters(name, mu=mu, alpha=alpha)
    return draw(name, checked, shape, dtype, ctx, out)


def randint(
    low: int,
    high: int,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw integers uniformly from [low, high).

    The parameters are those of `uniform`, except that `dtype` is 'int32' (default) or 'int64'.
    """
    if isinstance(low, NDArray) or isinstance(high, NDArray):
        raise TypeError("random.randint takes integers as low and high, got an NDArray")
    bounds = operator_parameters("randint", low=low, high=high)
    return draw("randint", bounds, shape, dtype, ctx, out, INTS)


def multinomial(
    data: NDArray,
    shape: Shape = None,
    get_prob: bool = False,
    out: NDArray | None = None,
    dtype: Any = "int32",
) -> Any:
    """Draw indices with the given probabilities.

    Parameters
    ----------
    data : NDArray, shape (k,) or (n, k)
        Probabilities of 0, ..., k - 1; rows sum to 1.
    shape : int or tuple of int, optional
        Shape of the indices to draw for each row; None: a single one.
    get_prob : bool, default False
        Also return the logarithms of the probabilities of the drawn indices.
    out : NDArray, optional
        Filled and returned.
    dtype : default 'int32'

    Returns
    -------
    NDArray, shape (n,) + shape or shape; with `get_prob` a list of two.
    """
    return _operators()._sample_multinomial(
        data, shape=as_tuple(shape), get_prob=get_prob, dtype=dtype, out=out
    )


def shuffle(data: NDArray, out: NDArray | None = None) -> NDArray:
    """Return `data` with its slices along the first axis in random order."""
    if not isinstance(data, StoredArray):  # of which operators make dense copies
        expect_array("random.shuffle", "data", data)
    return _operators()._shuffle(data, out=out)


def _operators() -> Any:
    return operators()._internal


uniform_like = _operators()._random_uniform_like
normal_like = _operators()._random_normal_like
exponential_like = _operators()._random_exponential_like
gamma_like = _operators()._random_gamma_like
poisson_like = _operators()._random_poisson_like
negative_binomial_like = _operators()._random_negative_binomial_like
generalized_negative_binomial_like = _operators()._random_generalized_negative_binomial_like


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


_add_aliases(__name__)
