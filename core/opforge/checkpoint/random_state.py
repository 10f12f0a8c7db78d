"""State of all random number generators used in training: opforge's, NumPy's and Python's."""

import random
from typing import Any

import numpy as np

from ..native.threads import random_streams

__all__ = ["get_random_state", "set_random_state"]


def get_random_state() -> dict[str, Any]:
    """Return the state of this thread's stream, the streams derived from it, NumPy and Python."""
    return {
        "opforge": random_streams.get_process_state(),
        "numpy": np.random.get_state(legacy=False),
        "python": random.getstate(),
    }


def set_random_state(state: dict[str, Any]) -> None:
    """Restore a state returned by `get_random_state`, possibly in another process."""
    random_streams.set_process_state(tuple(state["opforge"]))
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])
