"""The pages of ``opforge docs`` and the catalogue, written in each build."""

from pathlib import Path
from typing import Any

from opforge_tools.reference.catalogue import build_catalogue
from opforge_tools.reference.files import leftover_files, write_files
from opforge_tools.reference.pages import MARK, page_texts
from opforge_tools.reference.wheels import installed_packages


def write_operator_pages(folder: Path) -> None:
    """Write the pages of all installed operators and layers; remove other pages."""
    texts = page_texts()
    write_files(folder, texts)
    for path in leftover_files(folder, texts, MARK):
        path.unlink()


def write_catalogue(app: Any, error: Exception | None) -> None:
    """Write the catalogue of installed packages next to the pages, which link to it."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "catalogue"
        build_catalogue(folder, installed_packages(), home="../index.html")


def setup(app: Any) -> dict[str, bool]:
    """Write pages and catalogue in each build."""
    pages = Path(app.srcdir) / "reference" / "operators"
    app.connect("config-inited", lambda app, config: write_operator_pages(pages))
    app.connect("build-finished", write_catalogue)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
