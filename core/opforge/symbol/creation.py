"""Constants as symbols; further keywords are `name`, `attr` and node attributes."""

from typing import Any

from ._namespace import operators

__all__ = ["arange", "eye", "full", "linspace", "ones", "zeros"]


def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Return a symbol of zeros.

    Examples
    --------
    >>> zeros((2, 3)).infer_shape()[1]
    [(2, 3)]
    """
    return operators()._internal._zeros(shape=_tuple(shape), dtype=dtype or "float32", **kwargs)


def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """Return a symbol of ones."""
    return operators()._internal._ones(shape=_tuple(shape), dtype=dtype or "float32", **kwargs)


def full(shape: Any, val: float, dtype: Any = None, **kwargs: Any) -> Any:
    """Return a symbol whose elements all have one value."""
    return operators()._internal._full(
        shape=_tuple(shape), dtype=dtype or "float32", value=float(val), **kwargs
    )


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> Any:
    """Return evenly spaced values in the half-open interval [start, stop); see `nd.arange`."""
    return operators()._internal._arange(
        start=start,
        stop=stop,
        step=step,
        repeat=repeat,
        infer_range=infer_range,
        name=name,
        dtype=dtype or "float32",
    )


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: Any = None,
) -> Any:
    """Return `num` evenly spaced values between two numbers."""
    return operators()._internal._linspace(
        start=start, stop=stop, num=num, endpoint=endpoint, name=name, dtype=dtype or "float32"
    )


def eye(N: int, M: int = 0, k: int = 0, dtype: Any = None, **kwargs: Any) -> Any:
    """Return a matrix with ones on the k-th diagonal."""
    return operators()._internal._eye(N=N, M=M, k=k, dtype=dtype or "float32", **kwargs)


def _tuple(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)
