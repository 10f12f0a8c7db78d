"""The header: frozen parts, valid C and C++, and consistency with abi.pxd and the documentation."""

import hashlib
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import opforge

ROOT = Path(__file__).resolve().parents[2]
HEADER = Path(opforge.get_include(), "opforge", "abi.h")
#: Hash of the frozen code of each version, without comments and whitespace. A hash is added with a
#: version and never changed, because plugins have been built against it.
FROZEN = {
    "2.0": "612beb810900f1614159cb384bee3a3aa5d7435aa3d6f33f93c5ac80b1551b1a",
    "2.1": "dd6a68b23a562b74655c8906bc6a74dfe4300fe8b80f72c8f12b1c79939756ba",
}


def frozen(text, version):
    """Return the code of one version, without comments and whitespace."""
    mark = re.escape(version)
    parts = re.findall(rf"/\* frozen {mark} \*/(.*?)/\* end of frozen {mark} \*/", text, re.DOTALL)
    code = re.sub(r"/\*.*?\*/", "", "".join(parts), flags=re.DOTALL)
    return " ".join(code.split())


@pytest.mark.parametrize("version", FROZEN)
def test_frozen_code_does_not_change(version):
    code = frozen(HEADER.read_text(), version)
    assert hashlib.sha256(code.encode()).hexdigest() == FROZEN[version], (
        f"version {version} of the native interface is frozen: undo the change of abi.h, or add it "
        "to a new version, at the end of its table"
    )


def test_every_version_is_frozen():
    text = HEADER.read_text()
    minor = int(re.search(r"#define OPFORGE_ABI_MINOR (\d+)", text)[1])
    major = int(re.search(r"#define OPFORGE_ABI_MAJOR (\d+)", text)[1])
    assert [f"{major}.{number}" for number in range(minor + 1)] == list(FROZEN)


def test_the_whole_interface_is_frozen():
    """Only convenience functions and the lines around the frozen parts are not frozen."""
    text = HEADER.read_text()
    code = text[: text.index("/* ## Conveniences */")]
    for version in FROZEN:
        mark = re.escape(version)
        code = re.sub(
            rf"/\* frozen {mark} \*/.*?/\* end of frozen {mark} \*/", "", code, flags=re.DOTALL
        )
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    rest = [line for line in code.splitlines() if line.strip() and not line.startswith("#")]
    assert rest == ['extern "C" {']


@pytest.mark.parametrize("minor", [int(version.partition(".")[2]) for version in FROZEN])
@pytest.mark.parametrize(
    ("compiler", "language", "standard"),
    [("gcc", "c", "c11"), ("gcc", "c", "c17"), ("g++", "c++", "c++11"), ("g++", "c++", "c++17")],
)
def test_it_compiles_without_a_warning(compiler, language, standard, minor):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    subprocess.run(
        [compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
        + [f"-DOPFORGE_TARGET_MINOR={minor}", "-x", language, str(HEADER)],
        check=True,
    )


@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
def test_the_header_for_float16_compiles(compiler, language):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    header = HEADER.with_name("float16.h")
    flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-function", "-fsyntax-only"]
    subprocess.run([compiler, *flags, "-x", language, str(header)], check=True)


def test_cython_declares_every_name():
    declared = HEADER.with_suffix(".pxd").read_text()
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    names = set(re.findall(r"\b(?:opforge|OPFORGE)_\w+", text))
    # Used by the preprocessor only.
    names -= {"OPFORGE_ABI_H", "OPFORGE_HEAD", "OPFORGE_INLINE", "OPFORGE_PRINTF"}
    assert {name for name in names if not re.search(rf"\b{name}\b", declared)} == set()


def test_the_page_matches_the_header():
    path = ROOT / "scripts" / "abi_page.py"
    spec = importlib.util.spec_from_file_location("abi_page", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = script.PAGE.read_text(encoding="utf-8")
    assert page == script.page(HEADER.read_text()), "run scripts/abi_page.py"
    for word in ("opforge_tensor", "parallel_for", "OPFORGE_BAD_SHAPE", "opforge_like"):
        assert word in page
