"""The pages of ``opforge docs`` and the catalogue, written anew at each build."""

from pathlib import Path
from typing import Any

from opforge_tools.reference.catalogue import build_catalogue
from opforge_tools.reference.files import leftover_files, write_files
from opforge_tools.reference.pages import MARK, page_texts
from opforge_tools.reference.wheels import installed_packages


def write_operator_pages(folder: Path) -> None:
    """Write what ``opforge docs`` writes for all that is installed; remove all other pages."""
    texts = page_texts()
    write_files(folder, texts)
    for path in leftover_files(folder, texts, MARK):
        path.unlink()


def write_catalogue(app: Any, error: Exception | None) -> None:
    """Write the catalogue of what is installed beside the pages, which link to it."""
    if error is None and app.builder.format == "html":
        build_catalogue(Path(app.outdir) / "catalogue", installed_packages())


def setup(app: Any) -> dict[str, bool]:
    """Have them written at each build."""
    pages = Path(app.srcdir) / "reference" / "operators"
    app.connect("config-inited", lambda app, config: write_operator_pages(pages))
    app.connect("build-finished", write_catalogue)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
