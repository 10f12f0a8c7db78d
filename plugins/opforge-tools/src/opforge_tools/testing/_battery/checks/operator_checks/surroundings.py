"""Check that calls leave the process as it was: settings, output, random numbers, resources."""

import ctypes
import os
import random
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ...subjects.surroundings import mode_of_autograd
from .determinism import results_of

__all__ = ["check_surroundings"]

#: Calls after the first ones, which may start threads and open files permanently.
_CALLS = 20
#: Two seeds of random generators.
_SEEDS = (1, 2)


def check_surroundings(subject: OperatorSubject) -> int:
    """Compare the process state with that before the first call, and count leaked resources."""
    sample = subject.samples[0]
    results_of(subject, sample)
    counts = {name: count() for name, count in _COUNTS.items()}
    for _ in range(_CALLS):
        results_of(subject, sample)
    more = {name: count() - counts[name] for name, count in _COUNTS.items()}
    changed = [*subject.surroundings.changed(), *_changed_in_calls(subject, sample)]
    subject.surroundings.restore()
    if changed:
        raise AssertionError(f"{sample}: a call changes {', '.join(changed)}")
    for name, number in more.items():
        if not (number < _CALLS):
            raise AssertionError(f"{sample}: {_CALLS} calls leave {number} {name}")
    _expect_no_output(subject, sample)
    return _CALLS


def _changed_in_calls(subject: OperatorSubject, sample: Sample) -> Iterator[str]:
    """Yield the settings that calls change, although the code around them restores some."""
    for mode in (autograd.predict_mode, autograd.train_mode, autograd.record):
        with mode():
            before = mode_of_autograd()
            subject.call(nd, sample, subject.arrays(sample, subject.dtype))
            if mode_of_autograd() != before:
                yield f"the mode of autograd in {mode.__name__}()"
                break
    with warnings.catch_warnings():
        # Not equal to any filter that code adds, so that an added one is always new.
        warnings.filterwarnings("ignore", message="(?s)(?:.*)")
        filters = list(warnings.filters)
        results_of(subject, sample)
        if warnings.filters != filters:
            yield "the filters of warnings"
    for name, (seed, state) in _GENERATORS.items():
        if _seeds_generator(subject, sample, seed, state):
            yield name


def _seeds_generator(
    subject: OperatorSubject, sample: Sample, seed: Callable[[int], Any], state: Callable[[], Any]
) -> bool:
    """Return whether a generator has the same state after calls that began with two seeds."""
    found = []
    with _kept_generators():
        for number in _SEEDS:
            seed(number)
            # The generator of opforge is seeded before each call.
            results_of(replace(subject, seed=number), sample)
            found.append(state())
    return bool(found[0] == found[1])


@contextmanager
def _kept_generators() -> Iterator[None]:
    """Restore the generators of Python and NumPy, which belong to the calling program."""
    of_numpy, of_python = np.random.get_state(), random.getstate()
    try:
        yield
    finally:
        np.random.set_state(of_numpy)
        random.setstate(of_python)


def _state_of_numpy() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state(legacy=True)
    return name, np.asarray(keys).tobytes(), *rest


#: Name of a random generator -> function that seeds it, and function that returns its state.
_GENERATORS: dict[str, tuple[Callable[[int], Any], Callable[[], Any]]] = {
    "the random numbers of opforge (random.seed)": (
        lambda number: None,
        lambda: nd.random.uniform(shape=(4,)).asnumpy().tolist(),
    ),
    "the random numbers of NumPy (numpy.random.seed)": (np.random.seed, _state_of_numpy),
    "the random numbers of Python (random.seed)": (random.seed, random.getstate),
}


def _expect_no_output(subject: OperatorSubject, sample: Sample) -> None:
    """Raise if calls print, in Python or in C."""
    with warnings.catch_warnings(), _capture_output() as captured:
        warnings.simplefilter("ignore")
        results_of(subject, sample)
    text = captured.getvalue().strip()
    if text:
        raise AssertionError(f"{sample}: a call prints {text.splitlines()[0]!r}")


@contextmanager
def _capture_output() -> Iterator[StringIO]:
    """Collect what is written to Python's and to the process's standard output and error."""
    text = StringIO()
    _flush()
    with tempfile.TemporaryFile() as file:
        kept = {number: os.dup(number) for number in (1, 2)}
        try:
            for number in kept:
                os.dup2(file.fileno(), number)
            with redirect_stdout(text), redirect_stderr(text):
                yield text
        finally:
            _flush()
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)
        file.seek(0)
        text.write(file.read().decode(errors="replace"))


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)


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
