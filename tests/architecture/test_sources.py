"""Every source file has a docstring, a readable size and tests."""

import ast
import re
import tomllib
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
HARD_LIMIT = 500
SOFT_LIMIT = 350
#: Modules whose tests are not at the mirrored path -> their path.
COVERED_BY = (
    {
        f"core/opforge/native/{module}.pyx": f"tests/unit/{tests}.py"
        for module, tests in {
            "calls/claims": "native/calls/test_update",
            "calls/extents": "native/calls/test_rowwise",
            "calls/selection": "native/calls/test_elementwise",
            "kernels/argreduce": "native/calls/test_extremes",
            "kernels/narrow": "native/loops/test_choice",
        }.items()
    }
    | {
        f"core/opforge/native/abi/{module}.pyx": f"tests/abi/{tests}.py"
        for module, tests in {
            "computations": "test_calls",
            "frame": "test_calls",
            "gemm": "test_gemm",
            "host": "test_calls",
            "inference": "test_calls",
            "memories": "test_pretend_device",
            "instance": "test_calls",
            "loops": "test_loops",
            "plan": "test_plans",
            "routines": "test_routines",
            "table": "test_versions",
        }.items()
    }
    | {
        f"core/opforge/{module}": "tests/abi/test_pretend_device.py"
        for module in (
            "native/array/device_memory.pyx",
            "native/memory/devices.pyx",
            "op/abi/placement.py",
            "optimizer/staging.py",
        )
    }
    | {"core/opforge/native/memory/spares.pyx": "tests/abi/test_loops.py"}
    | {"core/opforge/op/abi/_numba.py": "tests/abi/test_examples.py"}
    | {"core/opforge/__main__.py": "tests/unit/cli/test_cli.py"}
)
#: File names that describe nothing.
#: MXNet's public module of this name is exempt.
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
    found = [
        s.shown
        for s in [*core_sources, *plugin_sources]
        if s.path.stem.strip("_") in VAGUE and not s.module.startswith("opforge.gluon.utils")
    ]
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
    too_long = {name: n for name, n in long.items() if n > HARD_LIMIT}
    assert not too_long, f"over {HARD_LIMIT} lines: {too_long}"


def _mirrors(source) -> list[Path]:
    """Return the paths at which the tests of `source` may be."""
    inner = source.path.relative_to(ROOT / "core" / "opforge")
    if source.is_package:
        folder = UNIT / inner.parent
        name = inner.parent.name or "package"
        return [folder / f"test_{name}.py", folder / "test_package.py"]
    name = f"test_{source.path.stem.lstrip('_')}.py"
    places = [UNIT / inner.parent / name]
    if source.shown in COVERED_BY:
        places.append(ROOT / COVERED_BY[source.shown])
    if inner.parent.name == "kernels":  # covered through the loops and calls of the same name
        places += [UNIT / inner.parent.parent / room / name for room in ("loops", "calls")]
    return places


def test_every_module_has_its_tests(core_sources):
    missing = [
        f"{s.shown}: no {_mirrors(s)[0].relative_to(ROOT)}"
        for s in core_sources
        if s.path.suffix != ".pxd" and not s.is_face and not any(p.exists() for p in _mirrors(s))
    ]
    assert not missing, "\n".join(["modules without a mirror test:", *missing])


def test_rows_of_covered_modules_name_existing_files():
    missing = [path for row in COVERED_BY.items() for path in row if not (ROOT / path).exists()]
    assert not missing, f"remove or correct the rows of COVERED_BY with these files: {missing}"


def test_rows_of_covered_modules_are_needed(core_sources):
    mirrored = [s.shown for s in core_sources if s.shown in COVERED_BY and _mirrors(s)[0].exists()]
    assert not mirrored, f"these have a mirror test; remove their rows of COVERED_BY: {mirrored}"


def test_every_plugin_is_complete():
    wanted = ("pyproject.toml", "README.md", "src", "tests")
    missing = [
        f"{folder.name}/{name}"
        for folder in sorted(ROOT.glob("plugins/*/"))
        for name in wanted
        if (folder / "pyproject.toml").exists() and not (folder / name).exists()
    ]
    assert not missing, missing


def test_extras_that_are_advised_exist(core_sources):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = {source.shown: source.text for source in core_sources}
    texts |= {str(p.relative_to(ROOT)): p.read_text("utf-8") for p in ROOT.glob("docs/*/*.md")}
    wrong = [
        f"{shown}: opforge[{extra}]"
        for shown, text in texts.items()
        for extra in re.findall(r"opforge\[(\w+)\]", text)
        if extra not in project["optional-dependencies"]
    ]
    assert not wrong, wrong
