"""Random shapes and arrays from NumPy's global generator, under MXNet's names."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.context import Context

from ._devices import default_context, default_dtype
from ._numpy_loops import assign_each
from ._sparse import rand_sparse_ndarray

__all__ = [
    "rand_coord_2d",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
]


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, int]:
    """Return a random shape with two axes of at most the given lengths."""
    return _size(dim0, allow_zero_size), _size(dim1, allow_zero_size)


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> tuple[int, int, int]:
    """Return a random shape with three axes of at most the given lengths."""
    return (
        _size(dim0, allow_zero_size),
        _size(dim1, allow_zero_size),
        _size(dim2, allow_zero_size),
    )


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape with `num_dim` axes of length at most `dim`."""
    return tuple(_size(dim, allow_zero_size) for _ in range(num_dim))


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[Any, Any]:
    """Return random ``np.int64`` coordinates: x in [x_low, x_high), y in [y_low, y_high)."""
    return (
        np.random.randint(x_low, x_high, dtype=np.int64),
        np.random.randint(y_low, y_high, dtype=np.int64),
    )


def random_arrays(*shapes: tuple[int, ...]) -> Any:
    """Return a list of standard normal float32 NumPy arrays, or one array for a single shape."""
    arrays = [np.asarray(np.random.standard_normal(shape), default_dtype()) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(
    *shapes: tuple[int, ...], low: float = 0.0, high: float = 1.0, dtype: Any = None
) -> list[np.ndarray]:
    """Return a list of NumPy arrays, uniform in [low, high); `dtype` is float32 by default."""
    kind = default_dtype() if dtype is None else dtype
    return [np.asarray(np.random.uniform(low, high, shape), kind) for shape in shapes]


def random_sample(population: Sequence[Any], k: int) -> list[Any]:
    """Return `k` distinct elements of a sequence in random order."""
    assert 0 <= k <= len(population), (
        f"random_sample: cannot take {k} of {len(population)} elements"
    )
    return [population[index] for index in np.random.permutation(len(population))[:k]]


def rand_ndarray(
    shape: tuple[int, ...],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    modifier_func: Callable[[Any], Any] | None = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Context | None = None,
) -> Any:
    """Return an NDArray of standard normal numbers.

    Parameters
    ----------
    shape : tuple of int
    stype : {"default", "csr", "row_sparse"}
    density : float, optional
        Fraction of nonzero elements; default: all, or random for sparse arrays.
    dtype : default float32
    modifier_func : callable, optional
        Function to apply to each element.
    shuffle_csr_indices, distribution
        Only for sparse arrays; see `rand_sparse_ndarray`.
    ctx : Context, optional
    """
    if stype != "default":
        return rand_sparse_ndarray(
            shape,
            stype,
            density=density,
            dtype=dtype,
            distribution=distribution,
            modifier_func=modifier_func,
            shuffle_csr_indices=shuffle_csr_indices,
            ctx=ctx,
        )[0]
    values = random_arrays(tuple(shape))
    if density is not None:
        values = values * (np.random.random(shape) < density)
    if modifier_func is not None:
        values = assign_each(values, modifier_func)
    return nd.array(values, dtype=dtype or default_dtype(), ctx=ctx or default_context())


def _size(longest: int, allow_zero: bool) -> int:
    return int(np.random.randint(0 if allow_zero else 1, longest + 1))
