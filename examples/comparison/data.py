"""Data of the compared programs, all made up, and the clock of their trainings."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

#: Number of words, including 0, which pads sentences; and the label of padding.
WORDS, PADDING = 300, -1


def table() -> list[np.ndarray]:
    """Return x_train, x_test, y_train, y_test: 54 features and 7 classes, as in Covertype."""
    x, y = make_classification(
        24000, n_features=54, n_informative=20, n_redundant=10, n_classes=7, random_state=0
    )
    return train_test_split(x * 10 + 5, y, test_size=0.25, stratify=y, random_state=0)


def images() -> list[np.ndarray]:
    """Return x_train, x_test, y_train, y_test: uint8 images of (32, 32, 3) and 10 classes.

    A class is a direction and a width of stripes; colors, phase and noise are random.
    """
    rng, n = np.random.default_rng(0), 4000
    y = rng.integers(0, 10, n)
    phase_n, steps = rng.uniform(0, 2 * np.pi, n), np.arange(32)
    stripes_nt = np.sin(steps / (0.7 + 0.25 * (y[:, None] // 2)) + phase_n[:, None])
    is_vertical = (y % 2 == 1)[:, None, None]
    x = np.where(is_vertical, stripes_nt[:, None, :], stripes_nt[:, :, None])
    x = x[..., None] * rng.uniform(8, 40, (n, 1, 1, 3)) + rng.normal(128, 60, (n, 32, 32, 3))
    return train_test_split(x.clip(0, 255).astype("uint8"), y, test_size=0.2, random_state=0)


def sentences() -> list[np.ndarray]:
    """Return x_train, x_test, y_train, y_test: int64 words and tags of shape (n, 30).

    A word has one of three kinds. The tag of a word of kind 0 is the kind of the word before, of
    kind 1 that of the word after, and of kind 2 its own. Sentences end with padding.
    """
    rng, shape = np.random.default_rng(0), (5000, 30)
    x = rng.integers(1, WORDS, shape)
    x[np.arange(shape[1]) >= rng.integers(5, shape[1] + 1, (shape[0], 1))] = 0
    kind = np.pad(x % 3, ((0, 0), (1, 1)))
    y = np.choose(kind[:, 1:-1], [kind[:, :-2], kind[:, 2:], kind[:, 1:-1]])
    return train_test_split(x, np.where(x > 0, y, PADDING), test_size=0.2, random_state=0)


@contextmanager
def timed() -> Iterator[None]:
    """Print the seconds that a ``with`` block takes, and the CPU's time in it."""
    began, cpu = time.perf_counter(), time.process_time()
    yield
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"training: {seconds:.2f} s, {cpu:.2f} s of CPU time", file=sys.stderr)
