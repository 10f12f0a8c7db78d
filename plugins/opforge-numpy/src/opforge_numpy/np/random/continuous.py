"""Continuous distributions that transform uniform, normal or exponential numbers."""

from collections.abc import Callable
from numbers import Real
from typing import Any

from .drawing import Size, drawn, expect

__all__ = [
    "exponential",
    "gumbel",
    "laplace",
    "logistic",
    "lognormal",
    "normal",
    "pareto",
    "power",
    "rand",
    "randn",
    "rayleigh",
    "uniform",
    "weibull",
]

#: Bounds of uniform numbers whose logarithms, and those of their complements, are finite.
_OPEN = {"low": 2.0**-25, "high": 1 - 2.0**-24}


def uniform(
    low: Any = 0.0,
    high: Any = 1.0,
    size: Size = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw from uniform distributions over [low, high).

    Parameters
    ----------
    low, high : float or ndarray
        Arrays broadcast with each other and with `size`.
    size : int or tuple of int, optional
        Shape of the result. Default: that of the parameters.
    dtype : {'float32', 'float64', 'float16'}, optional
        Default: 'float32', or 'float64' after ``npx.set_np(dtype=True)``.
    ctx : Context, optional
        Default: the current one.
    out : ndarray, optional
        Filled and returned.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        The shapes do not broadcast to `size`.

    Examples
    --------
    >>> from opforge import np
    >>> np.random.uniform(np.zeros(3), 1, size=(2, 3)).shape
    (2, 3)
    """
    given = {"low": low, "high": high}
    is_direct = isinstance(low, Real) and isinstance(high, Real) and low <= high
    return drawn("uniform", _between, given, size, dtype, ctx, out, is_direct)


def _between(F: Any, x: Any, low: Any, high: Any) -> Any:
    return F.add(F.multiply(x, F.subtract(high, low)), low)


def _shift_and_scale(F: Any, x: Any, loc: Any, scale: Any) -> Any:
    return F.add(F.multiply(x, scale), loc)


def normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Size = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw from normal distributions of mean `loc` and standard deviation `scale`.

    The other parameters are those of `uniform`. Gradients flow to `loc` and `scale`.
    """
    expect("normal", "scale", scale, or_zero=True)
    return drawn(
        "normal", _shift_and_scale, {"loc": loc, "scale": scale}, size, dtype, ctx, out, True
    )


def lognormal(
    mean: Any = 0.0,
    sigma: Any = 1.0,
    size: Size = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw numbers whose logarithms have normal distributions; see `normal`."""
    expect("lognormal", "sigma", sigma, or_zero=True)
    given = {"mean": mean, "sigma": sigma}
    return drawn(
        "normal", lambda F, x, *p: F.exp(_shift_and_scale(F, x, *p)), given, size, dtype, ctx, out
    )


def rand(*size: int, **kwargs: Any) -> Any:
    """Draw from the uniform distribution over [0, 1); the arguments are the shape."""
    return uniform(size=size, **kwargs)


def randn(*size: int, **kwargs: Any) -> Any:
    """Draw from the standard normal distribution; the arguments are the shape."""
    return normal(size=size, **kwargs)


def exponential(scale: Any = 1.0, size: Size = None, ctx: Any = None, out: Any = None) -> Any:
    """Draw from exponential distributions of mean `scale`; see `normal`."""
    expect("exponential", "scale", scale, or_zero=True)
    return _of_exponential(lambda F, x, a: F.multiply(x, a), {"scale": scale}, size, ctx, out)


def rayleigh(scale: Any = 1.0, size: Size = None, ctx: Any = None, out: Any = None) -> Any:
    """Draw from Rayleigh distributions of mode `scale`; see `normal`."""
    expect("rayleigh", "scale", scale, or_zero=True)
    return _of_exponential(
        lambda F, x, a: F.multiply(F.sqrt(x * 2), a), {"scale": scale}, size, ctx, out
    )


def weibull(a: Any, size: Size = None, ctx: Any = None, out: Any = None) -> Any:
    """Draw from Weibull distributions of shape `a` and scale 1; see `normal`."""
    expect("weibull", "a", a)
    return _of_exponential(lambda F, x, a: F.exp(F.divide(F.log(x), a)), {"a": a}, size, ctx, out)


def pareto(a: Any, size: Size = None, ctx: Any = None, out: Any = None) -> Any:
    """Draw from Pareto II (Lomax) distributions of shape `a`; see `normal`."""
    expect("pareto", "a", a)
    return _of_exponential(lambda F, x, a: F.expm1(F.divide(x, a)), {"a": a}, size, ctx, out)


def power(a: Any, size: Size = None, ctx: Any = None, out: Any = None) -> Any:
    """Draw from [0, 1] with density ``a * x ** (a - 1)``; see `normal`."""
    expect("power", "a", a)
    return _of_exponential(lambda F, x, a: F.exp(F.divide(-x, a)), {"a": a}, size, ctx, out)


def gumbel(
    loc: Any = 0.0, scale: Any = 1.0, size: Size = None, ctx: Any = None, out: Any = None
) -> Any:
    """Draw from Gumbel distributions; see `normal`."""
    expect("gumbel", "scale", scale, or_zero=True)
    return _of_exponential(
        lambda F, x, *p: _shift_and_scale(F, -F.log(x), *p),
        {"loc": loc, "scale": scale},
        size,
        ctx,
        out,
    )


def _of_exponential(
    transform: Callable[..., Any], parameters: dict[str, Any], size: Size, ctx: Any, out: Any
) -> Any:
    """Transform exponential numbers, the negative logarithms of uniform ones, above 0."""
    return drawn(
        "uniform",
        lambda F, x, *p: transform(F, -F.log(x), *p),
        parameters,
        size,
        None,
        ctx,
        out,
        False,
        **_OPEN,
    )


def logistic(
    loc: Any = 0.0, scale: Any = 1.0, size: Size = None, ctx: Any = None, out: Any = None
) -> Any:
    """Draw from logistic distributions; see `normal`."""
    expect("logistic", "scale", scale, or_zero=True)
    given = {"loc": loc, "scale": scale}

    def transform(F: Any, x: Any, *parameters: Any) -> Any:
        return _shift_and_scale(F, F.log(x) - F.log1p(-x), *parameters)

    return drawn("uniform", transform, given, size, None, ctx, out, False, **_OPEN)


def laplace(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Size = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw from Laplace distributions; see `normal`."""
    expect("laplace", "scale", scale, or_zero=True)
    given = {"loc": loc, "scale": scale}

    def transform(F: Any, x: Any, *parameters: Any) -> Any:
        return _shift_and_scale(F, -F.sign(x) * F.log1p(-F.abs(x)), *parameters)

    return drawn("uniform", transform, given, size, dtype, ctx, out, low=-1.0, high=1 - 2.0**-24)
