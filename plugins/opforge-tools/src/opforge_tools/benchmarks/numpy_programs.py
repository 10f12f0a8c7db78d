"""NumPy programs longer than one expression: the copy that measures memory bandwidth."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .programs import Names

__all__ = ["PROGRAMS"]


def _copy_in_threads(names: Mapping[str, Any]) -> Names:
    """Return a program that copies in several threads; NumPy releases the GIL while copying."""
    threads = names["threads"]
    parts = list(zip(*(np.array_split(names[key], threads) for key in "ca"), strict=True))
    if threads == 1:
        return {"copy": lambda: np.copyto(*parts[0])}
    pool = ThreadPoolExecutor(threads)
    return {"copy": lambda: list(pool.map(np.copyto, *zip(*parts, strict=True)))}


PROGRAMS = {"copy_in_threads": _copy_in_threads}
