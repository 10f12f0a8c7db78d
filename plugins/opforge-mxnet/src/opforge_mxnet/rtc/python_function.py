"""Kernels that are Python functions, compiled by Numba where it is installed."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from opforge.base.errors import OpforgeError

__all__ = ["Index", "jit_kernel"]


class Index(NamedTuple):
    """A position in a block or a grid, or its size, along x, y and z."""

    x: int
    y: int
    z: int


def jit_kernel(
    name: str, function: Callable[..., None]
) -> Callable[[Sequence[Any], Sequence[int], Sequence[int]], None]:
    """Return a function of (NumPy arrays, grid, block) that runs a Python kernel.

    Raises
    ------
    OpforgeError
        `function` cannot be called, or Numba is missing.
    """
    if not callable(function):
        raise OpforgeError(
            f"rtc kernel {name!r}: kernel is {function!r:.60}, expected its body in C++, a str, or "
            "a Python function"
        )
    launch = _launcher(name, function)

    def run(arrays: Sequence[Any], grid: Sequence[int], block: Sequence[int]) -> None:
        try:
            launch(Index(*grid), Index(*block), tuple(arrays))
        except Exception as error:
            raise OpforgeError(f"rtc kernel {name!r} failed in Numba: {error}") from error

    return run


@functools.cache
def _launcher(name: str, function: Callable[..., None]) -> Any:
    """Return the compiled loops over grid and block around the kernel."""
    try:
        from numba import njit
    except ImportError as error:
        raise OpforgeError(
            f"rtc kernel {name!r} is a Python function, which needs Numba: pip install numba, or "
            "pass the body in C++"
        ) from error
    # A function that Numba has compiled already is taken as it is.
    kernel = function if hasattr(function, "py_func") else njit(function)

    def launch(grid: Index, block: Index, arrays: Any) -> None:
        for bz in range(grid.z):
            for by in range(grid.y):
                for bx in range(grid.x):
                    for tz in range(block.z):
                        for ty in range(block.y):
                            for tx in range(block.x):
                                kernel(Index(tx, ty, tz), Index(bx, by, bz), block, grid, *arrays)

    return njit(launch)
