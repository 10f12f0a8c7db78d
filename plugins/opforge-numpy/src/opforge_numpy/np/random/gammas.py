"""The gamma distribution and those of quotients of its numbers."""

from typing import Any

from ...arguments import stored
from ...arrays import adopt
from ...symbols.namespace import namespace_of
from .drawing import Size, expect, float_type, parameter, standard

__all__ = [
    "beta",
    "chisquare",
    "f",
    "gamma",
]


def gamma(
    shape: Any,
    scale: Any = 1.0,
    size: Size = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Any:
    """Draw from gamma distributions; gradients flow to `scale`. See `normal`."""
    expect("gamma", "shape", shape)
    expect("gamma", "scale", scale)
    shape, scale = parameter(shape, dtype), parameter(scale, dtype)
    F = namespace_of(shape, scale)
    if isinstance(shape, float):
        x = standard(F, "gamma", size, [scale], dtype, ctx, alpha=shape)
    else:
        like = standard(F, "uniform", size, [shape, scale], dtype, ctx) * 0
        shapes = F.add(like, shape)
        x = F._internal._sample_gamma(shapes, shapes * 0 + 1, dtype=float_type(dtype))
    return stored(adopt(F.multiply(x, scale)), out)


def beta(a: Any, b: Any, size: Size = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Draw from beta distributions with parameters `a` and `b`, which have no gradients."""
    x, y = _pair("beta", {"a": a, "b": b}, size, dtype, ctx)
    return adopt(x / (x + y))


def chisquare(df: Any, size: Size = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Draw from chi-square distributions with `df` degrees of freedom, which have no gradients."""
    expect("chisquare", "df", df)
    return gamma(parameter(df, dtype) / 2, 2.0, size, dtype, ctx)


def f(dfnum: Any, dfden: Any, size: Size = None, ctx: Any = None) -> Any:
    """Draw from F distributions with two numbers of degrees of freedom."""
    given = {"dfnum": parameter(dfnum) / 2, "dfden": parameter(dfden) / 2}
    x, y = _pair("f", given, size, None, ctx)
    F = namespace_of(x)
    return adopt(F.divide(F.divide(x, given["dfnum"]), F.divide(y, given["dfden"])))


def _pair(
    name: str, parameters: dict[str, Any], size: Size, dtype: Any, ctx: Any
) -> tuple[Any, Any]:
    """Draw from two gamma distributions with the given shapes."""
    values = [parameter(value, dtype) for value in parameters.values()]
    for key, value in zip(parameters, values, strict=True):
        expect(name, key, value)
    F = namespace_of(*values)
    ones = standard(F, "uniform", size, values, dtype, ctx) * 0 + 1
    first, second = (gamma(value, ones, None, dtype, ctx) for value in values)
    return first, second
