"""A project follows its templates: what changed in them is merged into what its author wrote."""

from dataclasses import dataclass
from pathlib import Path

from .merging import merge
from .project import Project
from .record import Record
from .rendering import TEMPLATES, render

__all__ = ["Change", "add", "update"]


@dataclass(frozen=True)
class Change:
    """Effect of an update on one file.

    Parameters
    ----------
    file : str
        Path inside the project.
    state : str
        ``added``, ``changed`` or ``removed``; ``conflict``: both changed the same lines, and
        markers show where; ``left``: the templates changed what the author deleted, or dropped
        what the author changed, and nothing was done.
    text : str or None
        What to write; None: the file is to go, or for ``left`` to stay as it is.
    """

    file: str
    state: str
    text: str | None = None


def update(folder: Path, templates: Path = TEMPLATES) -> list[Change]:
    """Bring the changes of the templates since a project was made, or last updated, into it.

    Parameters
    ----------
    folder : Path
        Of a project that `create` made.
    templates : Path, optional
        Folder with one folder for each part of a project.

    Returns
    -------
    list of Change
        One for each file that the templates changed; those that have the change already are none.

    Raises
    ------
    ScaffoldError
        It is no such project, or copier or git is not installed; nothing was written then.
    """
    record = Record.read(folder)
    return _bring(folder, record, record.project, templates)


def add(folder: Path, kind: str, name: str = "", templates: Path = TEMPLATES) -> list[Change]:
    """Bring another thing into a project, and what else the templates changed meanwhile.

    Parameters
    ----------
    folder : Path
        Of a project that `create` made.
    kind, name : str
        As for `Project.with_thing`.
    templates : Path, optional
        Folder with one folder for each part of a project.

    Returns
    -------
    list of Change
        As `update` does; what the author wrote stays.

    Raises
    ------
    ScaffoldError
        As from `update`, or the thing cannot be added; nothing was written then.
    """
    record = Record.read(folder)
    return _bring(folder, record, record.project.with_thing(kind, name), templates)


def _bring(folder: Path, record: Record, project: Project, templates: Path) -> list[Change]:
    """Merge what the templates give for `project` into what they gave before."""
    files = render(project, templates)
    changes = []
    for name in sorted({*record.files, *files}):
        change = _change(name, _read(folder / name), record.files.get(name), files.get(name))
        if change is not None:
            changes.append(change)
    for change in changes:
        _apply(folder, change)
    Record(project, files).write(folder)
    return changes


def _change(file: str, mine: str | None, base: str | None, theirs: str | None) -> Change | None:
    """Return what is to be done with a file; None stands for one that is not there."""
    if theirs in (base, mine):
        return None
    if mine == base:
        state = "added" if base is None else "removed" if theirs is None else "changed"
        return Change(file, state, theirs)
    if mine is None or theirs is None:
        return Change(file, "left")
    text, conflict = merge(mine, base or "", theirs)
    return Change(file, "conflict" if conflict else "changed", text)


def _read(path: Path) -> str | None:
    # As bytes: line ends and what is no UTF-8 stay the author's.
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.is_file() else None


def _apply(folder: Path, change: Change) -> None:
    path = folder / change.file
    if change.state == "left":
        return
    if change.text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(change.text.encode("utf-8", "surrogateescape"))
