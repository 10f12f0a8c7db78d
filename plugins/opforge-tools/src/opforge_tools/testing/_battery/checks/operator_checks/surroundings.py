"""Check that an operator leaves environment, error state, threads and files unchanged."""

import threading
from collections.abc import Callable
from pathlib import Path

from ...subjects.subject import OperatorSubject
from .determinism import results_of

__all__ = ["check_surroundings"]

#: Calls after the first ones, which may start threads and open files for good.
_CALLS = 20


def check_surroundings(subject: OperatorSubject) -> int:
    """Compare the process with what it was before the first call, and count what calls leave."""
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


#: Of what calls must not leave more and more.
_COUNTS: dict[str, Callable[[], int]] = {
    "threads running": threading.active_count,
    "threads of the process running": lambda: _entries("/proc/self/task"),
    "files open": lambda: _entries("/proc/self/fd"),
}


def _entries(folder: str) -> int:
    """Return how many entries a folder of Linux has; 0 elsewhere."""
    path = Path(folder)
    return sum(1 for _ in path.iterdir()) if path.is_dir() else 0
