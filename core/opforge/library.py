"""MXNet's `library`: operators there come from shared libraries, here from plugins."""

import os
from typing import NoReturn

from .base.errors import OpforgeError

__all__ = ["load"]


def load(path: str, verbose: bool = True) -> NoReturn:
    """Raise OpforgeError: a library for MXNet is made for MXNet's core.

    Parameters
    ----------
    path : str
    verbose : bool
    """
    there = "" if os.path.exists(path) else " (there is no such file)"
    raise OpforgeError(
        f"library.load: {path!r}{there} is a library for MXNet's core, which opforge has not. Make "
        "a plugin of its operators: `opforge new NAME --kind native-c` makes a project for "
        "operators in C, and once it is installed by pip its operators are there without load()"
    )
