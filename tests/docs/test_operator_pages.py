"""Each build writes the pages of operators as ``opforge docs`` does."""

import importlib.util
from pathlib import Path

from opforge_tools.reference.files import leftover_files, stale_files
from opforge_tools.reference.pages import MARK, page_texts

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_a_build_leaves_no_stale_page(tmp_path):
    path = DOCS / "_extensions" / "operator_pages.py"
    spec = importlib.util.spec_from_file_location("operator_pages", path)
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    gone = tmp_path / "acme" / "operators" / "gone.md"
    gone.parent.mkdir(parents=True)
    gone.write_text(f"{MARK}\n# gone\n")
    extension.write_operator_pages(tmp_path)
    assert not gone.exists()
    texts = page_texts()
    assert stale_files(tmp_path, texts) == leftover_files(tmp_path, texts, MARK) == []
    assert "operators/index" in (DOCS / "reference" / "index.md").read_text()
