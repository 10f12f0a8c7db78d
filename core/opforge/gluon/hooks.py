"""Handles of hooks, as returned by `register_forward_hook`."""

import itertools
from collections.abc import Callable
from typing import Any

__all__ = ["HookHandle"]

_ids = itertools.count()


class HookHandle:
    """Keeps a hook in a dictionary of hooks until `detach`, or the end of its ``with`` block.

    Parameters
    ----------
    hooks : dict
        Dictionary to which the hook is added, under a unique number.
    hook : callable
    """

    def __init__(self, hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> None:
        self._hooks = hooks
        self._id = next(_ids)
        hooks[self._id] = hook

    def detach(self) -> None:
        """Remove the hook; a second call has no effect."""
        self._hooks.pop(self._id, None)

    def __enter__(self) -> "HookHandle":
        return self

    def __exit__(self, *exc: object) -> None:
        self.detach()
