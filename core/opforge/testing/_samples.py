"""Random shapes and arrays for tests, and the device and type that tests use; MXNet's names."""

import random as _random
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..base.context import Context, current_context

__all__ = [
    "default_context",
    "default_dtype",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "set_default_context",
]

_chosen_context: Context | None = None


def default_context() -> Context:
    """Return the context that tests use: what `set_default_context` set, else the current one."""
    return _chosen_context or current_context()


def set_default_context(ctx: Context) -> None:
    """Set what `default_context` returns."""
    global _chosen_context
    _chosen_context = ctx


def default_dtype() -> type[np.float32]:
    """Return the element type that tests use, float32."""
    return np.float32


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, int]:
    """Return a random shape of two axes, each at most as long as given."""
    low = 0 if allow_zero_size else 1
    return _random.randint(low, dim0), _random.randint(low, dim1)


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> tuple[int, int, int]:
    """Return a random shape of three axes, each at most as long as given."""
    low = 0 if allow_zero_size else 1
    return _random.randint(low, dim0), _random.randint(low, dim1), _random.randint(low, dim2)


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of `num_dim` axes, each at most `dim` long."""
    low = 0 if allow_zero_size else 1
    return tuple(_random.randint(low, dim) for _ in range(num_dim))


def random_arrays(*shapes: tuple[int, ...]) -> Any:
    """Return NumPy arrays of standard normal float32 numbers; one array for one shape."""
    arrays = [np.asarray(np.random.standard_normal(shape), np.float32) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def rand_ndarray(
    shape: tuple[int, ...],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    ctx: Context | None = None,
) -> Any:
    """Return an NDArray of uniform random numbers in [-1, 1).

    Parameters
    ----------
    shape : tuple of int
    stype : {'default'}
        Only dense arrays exist.
    density : float, optional
        Share of the elements that is not zero; None: all.
    dtype : default float32
    ctx : Context, optional

    Raises
    ------
    ValueError
        `stype` is not ``'default'``.
    """
    if stype != "default":
        raise ValueError(f"rand_ndarray: only stype 'default' exists, got {stype!r}")
    values = np.random.uniform(-1, 1, shape)
    if density is not None:
        values *= np.random.random(shape) < density
    return nd.array(values, dtype=dtype or default_dtype(), ctx=ctx or default_context())
