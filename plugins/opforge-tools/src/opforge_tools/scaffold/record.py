"""Record of a project: the answers and the files as originally generated.

Old templates are no longer available when a project is updated; their output is kept here, so that
the author's changes can be distinguished from those of the templates.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opforge.base.errors import ScaffoldError
from opforge.base.version import VERSION

from .project import Project

__all__ = ["RECORD", "Record"]

#: Name of the file, in the project's folder.
RECORD = ".opforge-new.json"


@dataclass(frozen=True)
class Record:
    """Answers and generated files of a project.

    Parameters
    ----------
    project : Project
        The answers.
    files : mapping of str to str
        Path inside the project -> text generated from its template.
    """

    project: Project
    files: Mapping[str, str]

    def write(self, folder: Path) -> None:
        """Write the record into a project."""
        content = {
            "about": "Made by `opforge new`; `opforge new --update` reads it. Keep it, unchanged.",
            "opforge": VERSION,
            "answers": self.project.answers,
            "files": dict(self.files),
        }
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (folder / RECORD).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Record":
        """Return the record of a project.

        Raises
        ------
        ScaffoldError
            The record is missing or cannot be read.
        """
        path = folder / RECORD
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            files = content["files"]
            outside = [name for name in files if not _is_inside(name)]
            if outside or not all(isinstance(text, str) for text in files.values()):
                raise ValueError(f"files that opforge new does not create: {', '.join(outside)}")
            return cls(Project.from_answers(content["answers"]), files)
        except FileNotFoundError:
            raise ScaffoldError(
                f"opforge new: {path} does not exist; pass the folder of a project that "
                "`opforge new NAME` created"
            ) from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ScaffoldError(
                f"opforge new: {path} is damaged ({error!r}); restore it from version control"
            ) from error


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts
