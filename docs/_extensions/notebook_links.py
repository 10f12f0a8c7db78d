"""Tutorials as notebooks: written next to the pages in each build, and linked from them."""

from pathlib import Path
from typing import Any

import notebooks  # a script of this repository

LINK = (
    '<p><a href="../notebooks/{name}.ipynb" download>Download this page as a notebook</a></p>\n\n'
)


def add_link(app: Any, page: str, source: list[str]) -> None:
    """Put the link below the title of a tutorial that has a notebook."""
    folder, _, name = page.rpartition("/")
    if folder == "tutorials" and name in notebooks.pages():
        title, _, rest = source[0].partition("\n\n")
        source[0] = f"{title}\n\n{LINK.format(name=name)}{rest}"


def write_notebooks(app: Any, error: Exception | None) -> None:
    """Write the notebooks without output; ``tox -e notebooks`` runs them."""
    if error is None and app.builder.format == "html":
        notebooks.write_notebooks(Path(app.outdir) / "notebooks")


def setup(app: Any) -> dict[str, bool]:
    """Connect both to each build."""
    app.connect("source-read", add_link)
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
