"""Update of a project: merge changes of the templates into the author's files."""

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
        ``added``, ``changed`` or ``removed``; ``conflict``: both changed the same lines, which
        markers show; ``left``: the templates changed what the author deleted, or dropped
        what the author changed, and nothing was done.
    text : str or None
        Text to write; None: delete the file, or for ``left`` leave it unchanged.
    """

    file: str
    state: str
    text: str | None = None


def update(folder: Path, templates: Path = TEMPLATES) -> list[Change]:
    """Merge changes of the templates since the last update into a project.

    Parameters
    ----------
    folder : Path
        Folder of a project made by `create`.
    templates : Path, optional
        Folder with a subfolder for each part of a project.

    Returns
    -------
    list of Change
        One for each file that the templates changed, except files that already have the change.

    Raises
    ------
    ScaffoldError
        The folder is not such a project, or copier or git is missing; nothing was written.
    """
    record = Record.read(folder)
    return _bring(folder, record, record.project, templates)


def add(folder: Path, kind: str, name: str = "", templates: Path = TEMPLATES) -> list[Change]:
    """Add a contribution to a project, and merge other changes of the templates.

    Parameters
    ----------
    folder : Path
        Folder of a project made by `create`.
    kind, name : str
        As for `Project.with_contribution`.
    templates : Path, optional
        Folder with a subfolder for each part of a project.

    Returns
    -------
    list of Change
        As for `update`; the author's changes are kept.

    Raises
    ------
    ScaffoldError
        As for `update`, or the contribution cannot be added; nothing was written.
    """
    record = Record.read(folder)
    return _bring(folder, record, record.project.with_contribution(kind, name), templates)


def _bring(folder: Path, record: Record, project: Project, templates: Path) -> list[Change]:
    """Merge the rendered files of `project` with those rendered before."""
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
    """Return the change of a file; None stands for a missing file."""
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
    # As bytes, to preserve the author's line ends and non-UTF-8 content.
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
