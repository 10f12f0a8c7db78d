"""Creation of a new project in an empty folder."""

from collections.abc import Mapping
from pathlib import Path

from opforge.base.errors import ScaffoldError

from .project import Project
from .record import Record
from .rendering import TEMPLATES, render

__all__ = ["create"]


def create(project: Project, folder: Path, templates: Path = TEMPLATES) -> list[str]:
    """Create a project.

    Parameters
    ----------
    project : Project
    folder : Path
        Must not exist, or be empty except for ``.git``.
    templates : Path, optional
        Folder with a subfolder for each part of a project.

    Returns
    -------
    list of str
        Paths of the files, relative to `folder`.

    Raises
    ------
    ScaffoldError
        The folder is not empty, or copier is not installed.
    """
    _check_empty(folder)
    files = render(project, templates)
    _write(folder, files)
    Record(project, files).write(folder)
    return list(files)


def _check_empty(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ScaffoldError(f"opforge new: {folder} is a file; pass a folder with --output")
    others = sorted(path.name for path in folder.iterdir() if path.name != ".git")
    if others:
        raise ScaffoldError(
            f"opforge new: {folder} is not empty (it has {', '.join(others[:3])}); pass another "
            "folder with --output, or update a project with `opforge new --update`"
        )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
