"""Three versions of one file become one: the author's, the templates' old and their new one."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from opforge.base.errors import ScaffoldError

__all__ = ["merge"]

#: What stands at the markers of a conflict, in the order in which git takes the files.
_LABELS = ("yours", "templates before", "templates now")


def merge(mine: str, base: str, theirs: str) -> tuple[str, bool]:
    r"""Bring the change from `base` to `theirs` into `mine`, as git does.

    Returns
    -------
    str
        The result, with git's markers where both changed the same lines.
    bool
        Whether there are such.

    Raises
    ------
    ScaffoldError
        git is not installed, or it refuses the file.

    Examples
    --------
    >>> merge("my a\nb\nc\nd\n", "a\nb\nc\nd\n", "a\nb\nc\nnew d\n")
    ('my a\nb\nc\nnew d\n', False)
    """
    git = shutil.which("git")
    if git is None:
        raise ScaffoldError(
            "opforge new --update merges changes with git, which is not installed; install git"
        )
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place) / str(number) for number in range(3)]
        for path, text in zip(paths, (mine, base, theirs), strict=True):
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        labels = [word for label in _LABELS for word in ("-L", label)]
        done = subprocess.run(
            [git, "merge-file", "-p", *labels, *map(str, paths)], capture_output=True, check=False
        )
    # The number of conflicts, up to 127; git's own failures are above.
    if not 0 <= done.returncode <= 127:
        message = done.stderr.decode(errors="replace").strip()
        raise ScaffoldError(f"opforge new --update: git cannot merge a file: {message}")
    return done.stdout.decode("utf-8", "surrogateescape"), done.returncode > 0
