"""Prerequisites of projects with native code: a compiler and Python's headers."""

import os
import shlex
import shutil
import sysconfig
from pathlib import Path

__all__ = ["missing_prerequisites"]

_COMPILED = {"native-c", "native-cython"}


def missing_prerequisites(kind: str) -> list[str]:
    """Return a sentence for each missing prerequisite of building a project.

    Parameters
    ----------
    kind : str
        Kind of project, as for ``opforge new --kind``.
    """
    if kind not in _COMPILED:
        return []
    found = []
    commands = (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang")
    if not any(shutil.which(shlex.split(command)[0]) for command in commands if command):
        found.append(
            f"no C compiler was found; building a project of kind {kind} needs one; "
            "install gcc (build-essential) or set CC before `pip install`"
        )
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.is_file():
        found.append(
            f"{header} is missing; building a project of kind {kind} needs it; "
            "install Python's headers (python3-dev)"
        )
    return found
