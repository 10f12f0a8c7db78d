"""Three-way merge of a file: the author's version, the old and the new template version."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from opforge.base.errors import ScaffoldError

__all__ = ["merge"]

#: Labels of conflict markers, in the order of git's arguments.
_LABELS = ("yours", "templates before", "templates now")


def merge(mine: str, base: str, theirs: str) -> tuple[str, bool]:
    r"""Merge the change from `base` to `theirs` into `mine`, as git does.

    Returns
    -------
    str
        Result, with git's markers if both changed the same lines.
    bool
        Whether there are conflicts.

    Raises
    ------
    ScaffoldError
        git is not installed, or it rejects the file.

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
    # Up to 127 it is the number of conflicts; above, git failed.
    if not 0 <= done.returncode <= 127:
        message = done.stderr.decode(errors="replace").strip()
        raise ScaffoldError(f"opforge new --update: git cannot merge a file: {message}")
    return done.stdout.decode("utf-8", "surrogateescape"), done.returncode > 0
