"""Checklist for the author of a new project, read from the file that its templates create."""

from pathlib import Path

__all__ = ["CHECKLIST", "read_checklist"]

#: Name of the file, in the project's folder.
CHECKLIST = "CHECKLIST.md"
_BOX = "- [ ] "


def read_checklist(folder: Path) -> list[str]:
    """Return the unchecked lines of a project's checklist, without their boxes.

    Parameters
    ----------
    folder : Path
        Project folder.
    """
    text = (folder / CHECKLIST).read_text(encoding="utf-8")
    return [
        line.removeprefix(_BOX).replace("`", "")
        for line in text.splitlines()
        if line.startswith(_BOX)
    ]
