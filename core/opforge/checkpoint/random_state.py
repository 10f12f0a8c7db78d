"""The position of all random numbers that a training draws: opforge's, NumPy's and Python's."""

import random
from typing import Any

import numpy as np

from ..native.threads import random_streams

__all__ = ["get_random_state", "set_random_state"]


def get_random_state() -> dict[str, Any]:
    """Return the position of this thread's stream, of those that derive from it, and of others."""
    return {
        "opforge": random_streams.get_process_state(),
        "numpy": np.random.get_state(legacy=False),
        "python": random.getstate(),
    }


def set_random_state(state: dict[str, Any]) -> None:
    """Go back to a position that `get_random_state` gave, maybe in another process."""
    random_streams.set_process_state(tuple(state["opforge"]))
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])
