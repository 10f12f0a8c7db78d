"""Docstrings begin with a summary that a reader understands without the rest."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for pattern in ("core/opforge/**/*.py", "plugins/*/src/**/*.py", "scripts/*.py")
    for path in ROOT.glob(pattern)
)
#: Words that open a clause, not a summary: "What is measured" instead of "Benchmark cases".
OPENINGS = re.compile(r"(What|Who|Where|Whether|How|The ones that)\b")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def wrong_openings(source):
    """Return name and first line of each docstring that opens with a clause."""
    found = []
    for node in ast.walk(ast.parse(source)):
        text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if text and OPENINGS.match(text):
            found.append(f"{getattr(node, 'name', 'module')}: {text.splitlines()[0]}")
    return found


def test_docstrings_open_with_a_summary():
    wrong = [
        f"{path.relative_to(ROOT)}, {fault}"
        for path in SOURCES
        for fault in wrong_openings(path.read_text(encoding="utf-8"))
    ]
    assert len(SOURCES) > 500
    assert not wrong, "\n".join(["say what it is or does, as 'Return ...':", *wrong])


@pytest.mark.parametrize(
    ("docstring", "is_wrong"),
    [("What is measured.", True), ("Whether it fits.", True), ("Return what fits.", False)],
)
def test_openings(docstring, is_wrong):
    assert bool(wrong_openings(f'def f():\n    """{docstring}"""\n')) is is_wrong
