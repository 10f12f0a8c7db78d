"""Retries of tests with random inputs, under MXNet's name."""

import functools
from collections.abc import Callable
from typing import Any

from opforge import ndarray as nd

__all__ = ["retry"]


def retry(n: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Return a decorator that runs a test up to `n` times until it passes.

    Only an AssertionError leads to another attempt; that of the last attempt is raised.

    Parameters
    ----------
    n : int, at least 1
    """
    assert n > 0, f"retry: n is {n}; expected at least 1"

    def decorate(test: Callable[..., Any]) -> Callable[..., None]:
        @functools.wraps(test)
        def tried(*args: Any, **kwargs: Any) -> None:
            for left in reversed(range(n)):
                try:
                    test(*args, **kwargs)
                    return
                except AssertionError:
                    if not left:
                        raise
                    nd.waitall()

        return tried

    return decorate
