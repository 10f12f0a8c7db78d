"""Every source file says what it is for, is of readable size and has its tests."""

import ast
import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
HARD_LIMIT = 500
SOFT_LIMIT = 350
#: One subject each that does not come apart; a new name here needs a reason in the review.
LONG_FILES = {
    "core/opforge/native/dispatch.pyx": "the call path, kept in one compiled unit for inlining",
}
#: File names that name no idea.
VAGUE = {"utils", "util", "helpers", "helper", "misc", "common", "tools"}


def _has_text_first(source) -> bool:
    if source.is_python:
        return bool(ast.get_docstring(source.tree))
    lines = [line for line in source.text.splitlines() if line.strip()]
    code = [line for line in lines if not line.startswith(("# distutils:", "# cython:"))]
    return bool(code) and code[0].lstrip("r").startswith(('"""', "#"))


def test_every_file_has_a_docstring(core_sources, plugin_sources):
    silent = [s.shown for s in [*core_sources, *plugin_sources] if not _has_text_first(s)]
    assert not silent, f"these begin without saying what they are for: {silent}"


def test_no_vague_names(core_sources, plugin_sources):
    found = [s.shown for s in [*core_sources, *plugin_sources] if s.path.stem.strip("_") in VAGUE]
    assert not found, f"name the idea instead: {found}"


def test_no_open_ends(core_sources, plugin_sources):
    marker = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b|raise NotImplementedError\(\)\s*$")
    found = [s.shown for s in [*core_sources, *plugin_sources] if marker.search(s.text)]
    assert not found, f"finish these or open an issue: {found}"


@pytest.mark.filterwarnings("default")
def test_files_stay_readable(core_sources, plugin_sources):
    sizes = {s.shown: s.text.count("\n") for s in [*core_sources, *plugin_sources]}
    long = {name: n for name, n in sizes.items() if n > SOFT_LIMIT}
    for name, n in sorted(long.items()):
        warnings.warn(f"{name} has {n} lines; think of dividing it", stacklevel=1)
    too_long = {n: size for n, size in long.items() if size > HARD_LIMIT and n not in LONG_FILES}
    assert not too_long, f"over {HARD_LIMIT} lines: {too_long}"
    assert set(LONG_FILES) <= set(long), "an exception is no longer needed"


def _mirrors(source) -> list[Path]:
    """Return the places where the tests of `source` may stand."""
    inner = source.path.relative_to(ROOT / "core" / "opforge")
    if source.is_package:
        folder = UNIT / inner.parent
        name = inner.parent.name or "package"
        return [folder / f"test_{name}.py", folder / "test_package.py"]
    name = f"test_{source.path.stem.lstrip('_')}.py"
    places = [UNIT / inner.parent / name]
    if inner.parent.name == "kernels":  # reached through the glue module of the same name
        places.append(UNIT / inner.parent.parent / name)
    return places


def test_every_module_has_its_tests(core_sources):
    missing = [
        f"{s.shown}: no {_mirrors(s)[0].relative_to(ROOT)}"
        for s in core_sources
        if s.path.suffix != ".pxd" and not s.is_face and not any(p.exists() for p in _mirrors(s))
    ]
    assert not missing, "\n".join(["modules without a mirror test:", *missing])


def test_every_plugin_is_complete():
    wanted = ("pyproject.toml", "README.md", "src", "tests")
    missing = [
        f"{folder.name}/{name}"
        for folder in sorted(ROOT.glob("plugins/*/"))
        for name in wanted
        if (folder / "pyproject.toml").exists() and not (folder / name).exists()
    ]
    assert not missing, missing
