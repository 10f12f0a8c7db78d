"""Rendering of templates with copier in a temporary folder."""

import tempfile
from pathlib import Path

from opforge.base.errors import ScaffoldError

from .project import Project

__all__ = ["TEMPLATES", "render"]

#: Built-in templates: a folder for each part of a project.
TEMPLATES = Path(__file__).parent / "templates"


def render(project: Project, templates: Path = TEMPLATES) -> dict[str, str]:
    """Return the files of a project, rendered from its templates.

    Parameters
    ----------
    project : Project
    templates : Path, optional
        Folder with a subfolder for each part.

    Returns
    -------
    dict of str to str
        Path inside the project -> text.

    Raises
    ------
    ScaffoldError
        copier is not installed.
    """
    try:
        from copier import run_copy
    except ImportError as error:
        raise ScaffoldError(
            f"opforge new needs copier, which cannot be imported ({error}): "
            "pip install 'opforge[new]'"
        ) from error
    with tempfile.TemporaryDirectory() as place:
        for part, values in project.parts:
            source = str(templates / part)
            # Files shared by several contributions are identical and simply written again.
            run_copy(source, place, values, defaults=True, quiet=True, overwrite=True)
        return {
            path.relative_to(place).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(Path(place).rglob("*"))
            if path.is_file()
        }
