"""Another try for tests of what is random; MXNet's name."""

import functools
from collections.abc import Callable
from typing import Any

from opforge import ndarray as nd

__all__ = ["retry"]


def retry(n: int) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Return a decorator: a test fails only where it fails `n` times in a row.

    Only AssertionError leads to another try.

    Parameters
    ----------
    n : int, at least 1
    """
    assert n > 0, f"retry: n is {n}, expected at least 1"

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
