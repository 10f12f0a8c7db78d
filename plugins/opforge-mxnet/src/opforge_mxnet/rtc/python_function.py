"""Kernels written as Python functions, which Numba compiles if it is installed."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from opforge.base.errors import OpforgeError

__all__ = ["Index", "jit_kernel"]


class Index(NamedTuple):
    """Position in a block or a grid, or the size of one, along x, y and z."""

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
        `function` is not callable, or Numba is missing.
    """
    if not callable(function):
        raise OpforgeError(
            f"rtc kernel {name!r}: kernel is {function!r:.60}; expected its body in C++, a str, or "
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
    """Return a compiled function that calls the kernel for each position in grid and block."""
    try:
        from numba import njit
    except ImportError as error:
        raise OpforgeError(
            f"rtc kernel {name!r} is a Python function, which needs Numba. Run pip install numba, "
            "or pass the body in C++"
        ) from error
    # A function that Numba has already compiled is used unchanged.
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
