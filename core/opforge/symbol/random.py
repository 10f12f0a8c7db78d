"""`sym.random`: random numbers as symbols; the functions of `nd.random` without its arrays.

Parameters are numbers, or symbols: one distribution for each element.
"""

from typing import Any

from ._namespace import operators
from .arithmetic import SymbolOperators

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
    "shuffle",
    "uniform",
    "uniform_like",
]


def _draw(
    name: str, parameters: dict[str, Any], shape: Any, dtype: Any, kwargs: dict[str, Any]
) -> Any:
    """Compose the operator of a distribution: that of numbers, or that of symbols."""
    symbols = [isinstance(value, SymbolOperators) for value in parameters.values()]
    if any(symbols) and not all(symbols):
        kinds = {key: type(value).__name__ for key, value in parameters.items()}
        raise TypeError(
            f"random.{name}: parameters must all be numbers or all symbols, got {kinds}"
        )
    kwargs = dict(kwargs)
    ctx = kwargs.pop("ctx", None)
    if shape is not None:
        kwargs["shape"] = shape
    if dtype not in (None, "None"):
        kwargs["dtype"] = dtype
    internal = operators()._internal
    if all(symbols):
        return getattr(internal, f"_sample_{name}")(*parameters.values(), **kwargs)
    if ctx is not None:
        kwargs["ctx"] = str(ctx)
    return getattr(internal, f"_random_{name}")(**parameters, **kwargs)


def uniform(
    low: Any = 0, high: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw numbers that are equally likely anywhere in [low, high); see `nd.random.uniform`.

    Parameters
    ----------
    low, high : float or Symbol
    shape : int or tuple of int, optional
    dtype : {'float32', 'float64', 'float16'}, default 'float32'
    **kwargs
        `name` and `attr` of the node; `ctx` is accepted.

    Examples
    --------
    >>> uniform(2, 3, shape=(4, 5)).infer_shape()[1]
    [(4, 5)]
    """
    return _draw("uniform", {"low": low, "high": high}, shape, dtype, kwargs)


def normal(
    loc: Any = 0, scale: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw from normal distributions; see `nd.random.normal`."""
    return _draw("normal", {"loc": loc, "scale": scale}, shape, dtype, kwargs)


def randn(*shape: int, **kwargs: Any) -> Any:
    """Draw normal numbers; the shape is given as arguments, the rest as for `normal`."""
    return normal(shape=shape or (1,), **kwargs)


def exponential(scale: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Draw from exponential distributions of mean `scale`; see `nd.random.exponential`."""
    return _draw("exponential", {"lam": 1.0 / scale}, shape, dtype, kwargs)


def gamma(
    alpha: Any = 1, beta: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw from gamma distributions; see `nd.random.gamma`."""
    return _draw("gamma", {"alpha": alpha, "beta": beta}, shape, dtype, kwargs)


def poisson(lam: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Draw counts from Poisson distributions; see `nd.random.poisson`."""
    return _draw("poisson", {"lam": lam}, shape, dtype, kwargs)


def negative_binomial(
    k: Any = 1, p: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw counts of failures before success number `k`; see `nd.random.negative_binomial`."""
    return _draw("negative_binomial", {"k": k, "p": p}, shape, dtype, kwargs)


def generalized_negative_binomial(
    mu: Any = 1, alpha: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw counts of mean `mu` and dispersion `alpha`."""
    name = "generalized_negative_binomial"
    return _draw(name, {"mu": mu, "alpha": alpha}, shape, dtype, kwargs)


def randint(low: int, high: int, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Draw integers that are equally likely in [low, high); see `nd.random.randint`."""
    if isinstance(low, SymbolOperators) or isinstance(high, SymbolOperators):
        raise TypeError("random.randint takes integers as low and high, got a symbol")
    return _draw("randint", {"low": low, "high": high}, shape, dtype, kwargs)


def multinomial(
    data: Any, shape: Any = (), get_prob: bool = False, dtype: Any = "int32", **kwargs: Any
) -> Any:
    """Draw indices with given probabilities; see `nd.random.multinomial`."""
    return operators()._internal._sample_multinomial(
        data, shape=shape or (), get_prob=get_prob, dtype=dtype, **kwargs
    )


def shuffle(data: Any, **kwargs: Any) -> Any:
    """Put the slices of `data` along its first axis in random order."""
    return operators()._internal._shuffle(data, **kwargs)


def _like(name: str) -> Any:
    def like(data: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(operators()._internal, f"_random_{name}_like")(data, *args, **kwargs)

    like.__name__ = like.__qualname__ = f"{name}_like"
    like.__doc__ = f"Draw as `{name}`; shape and type are those of `data`."
    return like


uniform_like = _like("uniform")
normal_like = _like("normal")
exponential_like = _like("exponential")
gamma_like = _like("gamma")
poisson_like = _like("poisson")
negative_binomial_like = _like("negative_binomial")
generalized_negative_binomial_like = _like("generalized_negative_binomial")
