"""Tables between two comments of a page are replaced by scripts/page_table.py."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "page_table.py"


@pytest.fixture
def write_table():
    spec = importlib.util.spec_from_file_location("page_table", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.write_table


def test_the_table_between_the_comments_is_replaced(write_table, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- b -->\nafter\n", encoding="utf-8")
    write_table(page, "<!-- a -->", "<!-- b -->", ["| x | 1 |"])
    text = page.read_text(encoding="utf-8")
    assert text == "before\n<!-- a -->\n\n| x | 1 |\n\n<!-- b -->\nafter\n"


def test_a_page_without_the_comments_is_not_written(write_table, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("text\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="lacks <!-- a -->"):
        write_table(page, "<!-- a -->", "<!-- b -->", ["| x | 1 |"])
    assert page.read_text(encoding="utf-8") == "text\n"
