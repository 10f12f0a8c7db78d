"""`Surroundings`: process-wide state that an operator must not change."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from opforge import autograd

__all__ = ["Surroundings"]


class Surroundings:
    """Snapshot of environment, NumPy error state, current folder and autograd mode."""

    def __init__(self) -> None:
        self._before = {name: look() for name, look in _STATES.items()}

    def changed(self) -> list[str]:
        """Return the names of changed items; entries of dictionaries include the key."""
        found = []
        for name, look in _STATES.items():
            now, before = look(), self._before[name]
            if isinstance(now, dict):
                keys = sorted(k for k in {*now, *before} if now.get(k) != before.get(k))
                found += [f"{name}: {key}" for key in keys]
            elif now != before:
                found.append(name)
        return found

    def restore(self) -> None:
        """Restore the snapshot."""
        os.environ.clear()
        os.environ.update(self._before[_ENVIRONMENT])
        np.seterr(**self._before[_ERRORS])
        os.chdir(self._before[_FOLDER])


_ENVIRONMENT = "os.environ"
_ERRORS = "NumPy's error state (numpy.seterr)"
_FOLDER = "the current folder"
_STATES: dict[str, Callable[[], Any]] = {
    _ENVIRONMENT: lambda: dict(os.environ),
    _ERRORS: np.geterr,
    _FOLDER: os.getcwd,
    "the mode of autograd": lambda: (autograd.is_recording(), autograd.is_training()),
}
