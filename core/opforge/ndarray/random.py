"""`nd.random`: arrays of random numbers.

All numbers come from one stream that `opforge.random.seed` starts anew; they do not depend on the
number of threads. Invariant: nothing here is recorded for a gradient.
"""

import operator
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..base.context import Context, current_context
from ..base.dtypes import code_of, dtype_of
from ..base.errors import AttributeValueError, ShapeError
from ..native import random as _native
from .creation import array, empty
from .ndarray import NDArray

__all__ = [
    "exponential",
    "exponential_like",
    "gamma",
    "gamma_like",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
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

Shape = int | tuple[int, ...] | list[int] | None
Parameter = Any  # a number, or an NDArray of numbers: one distribution for each

_FLOATS = ("float32", "float64", "float16")
_INTS = ("int32", "int64")


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Start the stream of random numbers anew.

    Parameters
    ----------
    seed_state : int
        Equal seeds give equal numbers.
    ctx : Context or 'all', default 'all'
        Accepted; all contexts share one stream.

    Raises
    ------
    ValueError
        `seed_state` is no integer.
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
) -> NDArray:
    """Draw numbers that are equally likely anywhere in [low, high).

    Parameters
    ----------
    low, high : float or NDArray
        Two NDArrays of one shape give one distribution for each pair of elements.
    shape : int or tuple of int, optional
        Numbers to draw, for each distribution; None: one.
    dtype : {'float32', 'float64', 'float16'}, default 'float32'
    ctx : Context, optional
        Default: that of the parameters, else the current one.
    out : NDArray, optional
        Is filled and returned; sets shape, dtype and context.

    Returns
    -------
    NDArray, shape ``low.shape + shape`` for NDArrays, else `shape`, or (1,) without one.

    Raises
    ------
    AttributeValueError
        `dtype` is not one of these, or a parameter is out of range.
    ShapeError
        The parameters' shapes differ, or `out` has another shape than `shape`.

    Examples
    --------
    >>> x = uniform(2, 3, shape=(4, 5))
    >>> x.shape, bool((x.asnumpy() >= 2).all())
    ((4, 5), True)
    """
    return _draw("uniform", _native.uniform, {"low": low, "high": high}, shape, dtype, ctx, out)


def normal(
    loc: Parameter = 0,
    scale: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from normal distributions of mean `loc` and standard deviation `scale`.

    The other parameters are those of `uniform`.
    """
    return _draw("normal", _native.normal, {"loc": loc, "scale": scale}, shape, dtype, ctx, out)


def randn(*shape: int, **kwargs: Any) -> NDArray:
    """Draw normal numbers; the shape is given as arguments, the rest as for `normal`."""
    return normal(shape=shape or (1,), **kwargs)


def exponential(
    scale: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from exponential distributions of mean `scale`; see `uniform`."""
    checked = {"scale": _not_negative("exponential", "scale", scale)}
    return _draw("exponential", _native.exponential, checked, shape, dtype, ctx, out)


def gamma(
    alpha: Parameter = 1,
    beta: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from gamma distributions of shape `alpha` and scale `beta`; see `uniform`."""
    checked = {
        "alpha": _not_negative("gamma", "alpha", alpha),
        "beta": _not_negative("gamma", "beta", beta),
    }
    return _draw("gamma", _native.gamma, checked, shape, dtype, ctx, out)


def poisson(
    lam: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw counts from Poisson distributions of mean `lam`; see `uniform`."""
    checked = {"lam": _not_negative("poisson", "lam", lam)}
    return _draw("poisson", _native.poisson, checked, shape, dtype, ctx, out)


def negative_binomial(
    k: Parameter = 1,
    p: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw counts of failures before success number `k` of probability `p`; see `uniform`."""
    checked = {"k": _not_negative("negative_binomial", "k", k), "p": p}
    return _draw("negative_binomial", _fill_negative_binomial, checked, shape, dtype, ctx, out)


def generalized_negative_binomial(
    mu: Parameter = 1,
    alpha: Parameter = 1,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw from negative binomials of mean `mu` and dispersion `alpha`; see `uniform`."""
    name = "generalized_negative_binomial"
    checked = {
        "mu": _not_negative(name, "mu", mu),
        "alpha": _not_negative(name, "alpha", alpha),
    }
    return _draw(name, _fill_generalized, checked, shape, dtype, ctx, out)


def randint(
    low: int,
    high: int,
    shape: Shape = None,
    dtype: Any = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Draw integers that are equally likely in [low, high).

    Parameters are those of `uniform`, but `dtype` is 'int32' (default) or 'int64'.
    """
    if not isinstance(low, NDArray) and low >= high:
        raise AttributeValueError(f"random.randint: low {low} must be less than high {high}")
    bounds = {"low": low, "high": high}
    return _draw("randint", _native.randint, bounds, shape, dtype, ctx, out, _INTS)


def multinomial(
    data: NDArray,
    shape: Shape = None,
    get_prob: bool = False,
    out: NDArray | None = None,
    dtype: Any = "int32",
) -> Any:
    """Draw indices with given probabilities.

    Parameters
    ----------
    data : NDArray, shape (k,) or (n, k)
        Probabilities of 0, ..., k - 1; rows sum to 1.
    shape : int or tuple of int, optional
        Indices to draw for each row; None: one.
    get_prob : bool, default False
        Return also the logarithms of the drawn indices' probabilities.
    out : NDArray, optional
        Is filled and returned.
    dtype : default 'int32'

    Returns
    -------
    NDArray, shape (n,) + shape or shape; with `get_prob` a list of two.
    """
    weights_nk = data.asnumpy().astype(np.float64).reshape(-1, data.shape[-1])
    drawn_shape = _tuple(shape)
    edges_nk = np.cumsum(weights_nk, axis=1)
    picks = _numpy_stream().random((len(weights_nk), prod(drawn_shape)))
    picks *= edges_nk[:, -1:]
    index = np.stack([np.searchsorted(e, p, "right") for e, p in zip(edges_nk, picks, strict=True)])
    index = np.minimum(index, weights_nk.shape[1] - 1)
    whole = data.shape[:-1] + drawn_shape or (1,)
    result = _delivered(index.reshape(whole), dtype, data.context, out)
    if not get_prob:
        return result
    with np.errstate(divide="ignore"):
        logs = np.log(np.take_along_axis(weights_nk, index, 1)).reshape(whole)
    return [result, array(logs, dtype=data.dtype, ctx=data.context)]


def shuffle(data: NDArray, out: NDArray | None = None) -> NDArray:
    """Return `data` with its rows along the first axis in random order."""
    order = _numpy_stream().permutation(data.shape[0])
    return _delivered(data.asnumpy()[order], data.dtype, data.context, out)


def _like(draw: Callable[..., NDArray]) -> Callable[..., NDArray]:
    def like(data: NDArray, *args: Any, out: NDArray | None = None, **kwargs: Any) -> NDArray:
        return draw(*args, shape=data.shape, dtype=data.dtype, ctx=data.context, out=out, **kwargs)

    like.__name__ = like.__qualname__ = f"{draw.__name__}_like"
    like.__doc__ = (
        f"""Draw as `{draw.__name__}` does, with the shape, dtype and context of `data`."""
    )
    return like


uniform_like = _like(uniform)
normal_like = _like(normal)
exponential_like = _like(exponential)
gamma_like = _like(gamma)
poisson_like = _like(poisson)


def _draw(
    name: str,
    fill: Callable[..., None],
    parameters: dict[str, Parameter],
    shape: Shape,
    dtype: Any,
    ctx: Context | None,
    out: NDArray | None,
    dtypes: tuple[str, ...] = _FLOATS,
) -> NDArray:
    """Fill an array by ``fill(out, *parameters)``, part by part where these are arrays."""
    arrays = [value for value in parameters.values() if isinstance(value, NDArray)]
    if arrays and (len(arrays) < len(parameters) or len({a.shape for a in arrays}) > 1):
        kinds = {k: getattr(v, "shape", v) for k, v in parameters.items()}
        raise ShapeError(
            f"random.{name}: parameters must all be numbers or all NDArrays of one shape, got "
            f"{kinds}"
        )
    many = arrays[0].shape if arrays else ()
    if out is None:
        whole = many + _tuple(shape) or (1,)
        dtype = _checked_dtype(name, dtypes, dtype)
        out = empty(whole, ctx or (arrays[0].context if arrays else current_context()), dtype)
    else:
        _check_out(name, out, many, shape, dtypes)
    if not arrays:
        fill(out, *parameters.values())
        return out
    size = prod(many)
    parts = out.reshape((size, -1)) if out.size else out
    rows = zip(*(value.asnumpy().ravel().tolist() for value in arrays), strict=True)
    for i, numbers in enumerate(rows if out.size else ()):
        fill(parts[i], *numbers)
    return out


def _tuple(shape: Shape) -> tuple[int, ...]:
    if shape is None:
        return ()
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _checked_dtype(name: str, dtypes: tuple[str, ...], dtype: Any) -> str:
    chosen = dtypes[0] if dtype in (None, "None") else np.dtype(dtype_of(code_of(dtype))).name
    if chosen not in dtypes:
        raise AttributeValueError(f"random.{name}: dtype {chosen!r} is not one of {dtypes}")
    return chosen


def _check_out(
    name: str, out: NDArray, many: tuple[int, ...], shape: Shape, dtypes: tuple[str, ...]
) -> None:
    _checked_dtype(name, dtypes, out.dtype)
    expected = many + _tuple(shape)
    if shape is not None and out.shape != expected:
        raise ShapeError(f"random.{name}: out has shape {out.shape}, expected {expected}")
    if out.shape[: len(many)] != many:
        raise ShapeError(f"random.{name}: out has shape {out.shape}, expected {many} + (...)")


def _not_negative(name: str, parameter: str, value: Parameter) -> Parameter:
    smallest = value.asnumpy().min(initial=0) if isinstance(value, NDArray) else value
    if not smallest >= 0:
        raise AttributeValueError(
            f"random.{name}: {parameter} must not be negative, got {smallest}"
        )
    return value


def _delivered(values: np.ndarray, dtype: Any, ctx: Context, out: NDArray | None) -> NDArray:
    if out is None:
        return array(values, dtype=dtype, ctx=ctx)
    if out.shape != values.shape:
        raise ShapeError(f"random: out has shape {out.shape}, expected {values.shape}")
    out[:] = values
    return out


def _numpy_stream() -> np.random.Generator:
    """Return a NumPy generator that starts from the next number of the stream."""
    start = empty((4,), current_context(), "int64")
    _native.randint(start, 0, 2**32)
    return np.random.default_rng(start.asnumpy().tolist())


def _fill_negative_binomial(out: NDArray, k: float, p: float) -> None:
    out[:] = _numpy_stream().negative_binomial(k, p, out.shape) if k else 0


def _fill_generalized(out: NDArray, mu: float, alpha: float) -> None:
    stream = _numpy_stream()
    lam = stream.gamma(1 / alpha, mu * alpha, out.shape) if alpha else mu
    out[:] = stream.poisson(lam, out.shape)
