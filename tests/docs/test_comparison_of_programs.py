"""The page that compares programs has the lines of code of each, and links to each."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "comparison"
PAGE = ROOT / "docs" / "explanation" / "comparison_of_programs.md"
LIBRARIES = ("opforge", "lightning", "keras", "fastai")


def lines_of_code(path):
    """Count the lines that are neither empty nor a comment nor the docstring of the program."""
    text = path.read_text(encoding="utf-8")
    body = ast.parse(text).body
    rows = text.splitlines()[body[0].end_lineno if ast.get_docstring(ast.parse(text)) else 0 :]
    return sum(1 for row in rows if row.strip() and not row.lstrip().startswith("#"))


@pytest.mark.parametrize("task", ["table", "images", "tags"])
def test_lines_of_code(task):
    (row,) = re.findall(rf"^\| `{task}` \| lines of code \|(.+)\|$", PAGE.read_text(), re.MULTILINE)
    shown = [int(cell) for cell in row.split("|")]
    found = [lines_of_code(PROGRAMS / f"{library}_{task}.py") for library in LIBRARIES]
    assert shown == found


def test_every_program_is_included():
    included = set(
        re.findall(r"\{literalinclude\} \.\./\.\./examples/comparison/(\S+)", PAGE.read_text())
    )
    assert included == {path.name for path in PROGRAMS.glob("*_*.py")}
