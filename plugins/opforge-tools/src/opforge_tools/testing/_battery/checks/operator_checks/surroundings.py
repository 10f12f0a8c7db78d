"""Check that an operator leaves the environment, error state, threads and files unchanged."""

import threading
from collections.abc import Callable
from pathlib import Path

from ...subjects.subject import OperatorSubject
from .determinism import results_of

__all__ = ["check_surroundings"]

#: Calls after the first ones, which may start threads and open files permanently.
_CALLS = 20


def check_surroundings(subject: OperatorSubject) -> int:
    """Compare the process state with that before the first call, and count leaked resources."""
    sample = subject.samples[0]
    results_of(subject, sample)
    counts = {name: count() for name, count in _COUNTS.items()}
    for _ in range(_CALLS):
        results_of(subject, sample)
    more = {name: count() - counts[name] for name, count in _COUNTS.items()}
    changed = subject.surroundings.changed()
    subject.surroundings.restore()
    if changed:
        raise AssertionError(f"{sample}: a call changes {', '.join(changed)}")
    for name, number in more.items():
        if not (number < _CALLS):
            raise AssertionError(f"{sample}: {_CALLS} calls leave {number} {name}")
    return _CALLS


#: Resources whose number must not grow with each call.
_COUNTS: dict[str, Callable[[], int]] = {
    "threads running": threading.active_count,
    "threads of the process running": lambda: _entries("/proc/self/task"),
    "files open": lambda: _entries("/proc/self/fd"),
}


def _entries(folder: str) -> int:
    """Return the number of entries of a Linux folder; 0 on other systems."""
    path = Path(folder)
    return sum(1 for _ in path.iterdir()) if path.is_dir() else 0
