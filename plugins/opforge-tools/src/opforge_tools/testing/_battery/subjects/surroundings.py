"""`Surroundings`: process-wide state that an operator must not change."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from opforge import autograd
from opforge.engine import get_num_threads, set_num_threads

__all__ = ["Surroundings", "mode_of_autograd"]


class Surroundings:
    """Snapshot of environment, settings of Python and NumPy, signals, and autograd mode."""

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
        before = self._before
        os.environ.clear()
        os.environ.update(before[_ENVIRONMENT])
        np.seterr(**before[_ERRORS])
        np.set_printoptions(**before[_PRINTING])
        os.chdir(before[_FOLDER])
        sys.setrecursionlimit(before[_RECURSION])
        if get_num_threads() != before[_THREADS]:
            set_num_threads(before[_THREADS])
        (gc.enable if before[_COLLECTOR] else gc.disable)()
        for name, handler in _handlers().items():
            if handler != before[_SIGNALS][name]:
                signal.signal(signal.Signals[name], before[_SIGNALS][name])


def mode_of_autograd() -> tuple[bool, bool]:
    """Return whether autograd records, and whether operators run in training mode."""
    return autograd.is_recording(), autograd.is_training()


def _handlers() -> dict[str, Any]:
    """Return the handlers of all signals that Python installed or can install."""
    handlers = {
        number.name: signal.getsignal(number)
        for number in signal.valid_signals()
        if isinstance(number, signal.Signals)
    }
    return {name: handler for name, handler in handlers.items() if handler is not None}


def _ignored_signals() -> str:
    """Return the signals that the process ignores, also those that C code set, on Linux."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((line for line in lines if line.startswith("SigIgn:")), "")


_ENVIRONMENT = "os.environ"
_ERRORS = "NumPy's error state (numpy.seterr)"
_PRINTING = "NumPy's print options"
_FOLDER = "the current folder"
_RECURSION = "the recursion limit"
_COLLECTOR = "whether the garbage collector is enabled"
_THREADS = "the number of opforge's threads"
_SIGNALS = "the signal handlers"
_STATES: dict[str, Callable[[], Any]] = {
    _ENVIRONMENT: lambda: dict(os.environ),
    _ERRORS: np.geterr,
    _PRINTING: np.get_printoptions,
    _FOLDER: os.getcwd,
    _RECURSION: sys.getrecursionlimit,
    _COLLECTOR: gc.isenabled,
    _THREADS: get_num_threads,
    _SIGNALS: _handlers,
    "the ignored signals": _ignored_signals,
    "the mode of autograd": mode_of_autograd,
}
