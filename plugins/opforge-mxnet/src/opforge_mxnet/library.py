"""MXNet's `library`, which loads operators from shared libraries; opforge uses plugins instead."""

import os
from typing import NoReturn

from opforge.base.errors import OpforgeError

__all__ = ["load"]


def load(path: str, verbose: bool = True) -> NoReturn:
    """Raise OpforgeError, because a library for MXNet requires MXNet's core.

    Parameters
    ----------
    path : str
    verbose : bool
    """
    there = "" if os.path.exists(path) else " (no such file)"
    raise OpforgeError(
        f"library.load: {path!r}{there} is a library for MXNet's core, which opforge does not "
        "have. Turn its operators into a plugin: `opforge new NAME --kind native-c` creates a "
        "project for operators in C, which are available without load() once pip has installed it"
    )
