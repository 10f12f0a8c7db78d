"""`sym.random`: random numbers as symbols, with the functions of `nd.random`.

Parameters are numbers, or symbols with one distribution per element. Functions whose names end in
``_like`` are the operators themselves.
"""

from typing import Any

from ..base.module_aliases import add_aliases as _add_aliases
from ..std.distribution_parameters import operator_parameters
from ._namespace import operators
from .arithmetic import SymbolOperators

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]


def _draw(name: str, shape: Any, dtype: Any, kwargs: dict[str, Any], **parameters: Any) -> Any:
    """Compose the operator of a distribution with numeric or with symbolic parameters."""
    symbols = [isinstance(value, SymbolOperators) for value in parameters.values()]
    if any(symbols) and not all(symbols):
        kinds = {key: type(value).__name__ for key, value in parameters.items()}
        raise TypeError(
            f"random.{name}: parameters must all be numbers or all symbols, got {kinds}"
        )
    parameters = operator_parameters(name, **parameters)
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
    """Draw from uniform distributions over [low, high); see `nd.random.uniform`.

    Parameters
    ----------
    low, high : float or Symbol
    shape : int or tuple of int, optional
    dtype : {'float32', 'float64', 'float16', 'bfloat16'}, default 'float32'
    **kwargs
        `name` and `attr` of the node; `ctx` is accepted too.

    Examples
    --------
    >>> uniform(2, 3, shape=(4, 5)).infer_shape()[1]
    [(4, 5)]
    """
    return _draw("uniform", shape, dtype, kwargs, low=low, high=high)


def normal(
    loc: Any = 0, scale: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw from normal distributions; see `nd.random.normal`."""
    return _draw("normal", shape, dtype, kwargs, loc=loc, scale=scale)


def randn(*shape: int, **kwargs: Any) -> Any:
    """Draw from normal distributions; positional arguments are the shape, see `normal`."""
    return normal(shape=shape or (1,), **kwargs)


def exponential(scale: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Draw from exponential distributions of mean `scale`; see `nd.random.exponential`."""
    return _draw("exponential", shape, dtype, kwargs, scale=scale)


def gamma(
    alpha: Any = 1, beta: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw from gamma distributions; see `nd.random.gamma`."""
    return _draw("gamma", shape, dtype, kwargs, alpha=alpha, beta=beta)


def poisson(lam: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Draw counts from Poisson distributions; see `nd.random.poisson`."""
    return _draw("poisson", shape, dtype, kwargs, lam=lam)


def negative_binomial(
    k: Any = 1, p: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw numbers of failures before the k-th success; see `nd.random.negative_binomial`."""
    return _draw("negative_binomial", shape, dtype, kwargs, k=k, p=p)


def generalized_negative_binomial(
    mu: Any = 1, alpha: Any = 1, shape: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Draw from negative binomial distributions of mean `mu` and dispersion `alpha`."""
    name = "generalized_negative_binomial"
    return _draw(name, shape, dtype, kwargs, mu=mu, alpha=alpha)


def randint(low: int, high: int, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Draw integers uniformly from [low, high); see `nd.random.randint`."""
    if isinstance(low, SymbolOperators) or isinstance(high, SymbolOperators):
        raise TypeError("random.randint takes integers as low and high, got a symbol")
    return _draw("randint", shape, dtype, kwargs, low=low, high=high)


def multinomial(
    data: Any, shape: Any = (), get_prob: bool = False, dtype: Any = "int32", **kwargs: Any
) -> Any:
    """Draw indices with the given probabilities; see `nd.random.multinomial`."""
    return operators()._internal._sample_multinomial(
        data, shape=shape or (), get_prob=get_prob, dtype=dtype, **kwargs
    )


def shuffle(data: Any, **kwargs: Any) -> Any:
    """Shuffle the slices of `data` along its first axis."""
    return operators()._internal._shuffle(data, **kwargs)


def __getattr__(name: str) -> Any:
    """Return the operator of a function such as `uniform_like`."""
    if name.startswith("_") or not name.endswith("_like"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(operators()._internal, f"_random_{name}")


_add_aliases(__name__)
