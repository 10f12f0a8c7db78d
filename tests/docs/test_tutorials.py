"""Run the code on the pages of the documentation, and compare its output with that on the page.

All ``python`` blocks of a page run in one namespace. A block with the caption ``Output`` shows the
output of the block before it. A block with another caption is a file: a program
that the page runs, or a file of a project.
A page with a complete project creates it with ``opforge new`` and installs it before the code runs;
a page with the package of a plugin and its entry points runs as if these were installed.
`test_console_blocks` runs ``console`` blocks.
"""

import contextlib
import io
import math
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
FENCE = re.compile(r"^```(?P<head>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
CAPTION = re.compile(r"\A:caption: (?P<caption>.+)\n")
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/tutorials/*.md")),
    *sorted(ROOT.glob("docs/howto/*.md")),
    *sorted(ROOT.glob("docs/guides/*.md")),
]

NUMBER = re.compile(r"(-?\d+\.?\d*(?:e[-+]?\d+)?)")
COMMAND_LINE = "import sys; sys.argv[0] = 'opforge'; from opforge.cli import main; main()"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language or directive, its caption if any, its text and its line."""

    head: str
    caption: str
    body: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        body, line = match["body"], text.count("\n", 0, match.start()) + 2
        caption = CAPTION.match(body)
        if caption:
            body, line = body[caption.end() :], line + 1
        found.append(
            Block(match["head"].strip(), caption["caption"] if caption else "", body, line)
        )
    return found


def run_blocks(page: Path, blocks: list[Block]) -> None:
    """Run the python blocks in one namespace; all output must be on the page."""
    space: dict[str, object] = {"__name__": f"page_{page.stem}"}
    printed = ""
    for block in blocks:
        if block.head == "python":
            assert not printed.strip(), (
                f"{page.name}:{block.line}: the block before prints {printed!r}"
            )
            code = compile("\n" * (block.line - 1) + block.body, str(page), "exec")
            with contextlib.redirect_stdout(io.StringIO()) as stream:
                exec(code, space)
            printed = stream.getvalue()
        elif block.head.endswith(" python") and re.fullmatch(r"\w+\.py", block.caption):
            Path(block.caption).write_text(block.body, encoding="utf-8")
        elif block.caption == "Output":
            assert _same_text(printed, block.body), (
                f"{page.name}:{block.line}: prints\n{printed}\nthe page shows\n{block.body}"
            )
            printed = ""
    assert not printed.strip(), f"{page.name}: nothing on the page shows {printed!r}"


def _same_text(printed: str, shown: str) -> bool:
    """Compare words exactly and numbers to 6 digits: the last ones differ among processors."""
    found, wanted = NUMBER.split(printed), NUMBER.split(shown)
    if len(found) != len(wanted):
        return False
    words = zip(found[::2], wanted[::2], strict=True)
    numbers = zip(found[1::2], wanted[1::2], strict=True)
    return all(a.split() == b.split() for a, b in words) and all(
        math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-9) for a, b in numbers
    )


def pages(kind: str) -> list[object]:
    """Return the pages of a kind: "code" only, with a "package", or with a "project"."""
    found = []
    for page in PAGES:
        blocks = blocks_of(page)
        has_code = any(block.head == "python" for block in blocks)
        if has_code and kind_of({block.caption for block in blocks}) == kind:
            found.append(pytest.param(page, blocks, id=page.stem))
    return found


def kind_of(captions: set[str]) -> str:
    if "pyproject.toml" in captions:
        return "project"
    hooks = any(caption.endswith("/__init__.py") for caption in captions)
    return "package" if hooks else "code"


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A reader's shell: an activated environment, a folder of its own, figures without windows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(BIN), os.environ["PATH"]]))
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.keeps_memory  # operators and layers stay registered under their names
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(("page", "blocks"), pages("code"))
def test_page(request, page, blocks, tmp_path):
    if page.stem == "run_time_kernels":
        request.getfixturevalue("c_compiler")
    if any("import opforge_mpi" in block.body for block in blocks):
        request.getfixturevalue("libmpi")
    if any("import torch\n" in block.body for block in blocks):
        pytest.importorskip("torch", reason="a peer of 200 MB: tox -e torch runs this page")
    run_blocks(page, blocks)
    made = {path.name for path in tmp_path.glob("*.png")}
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"^!\[.+\]\(figures/(.+)\)$", text, re.MULTILINE)
    assert sorted(shown) == sorted(made), (
        "the page must show the figures that it saves, and no others"
    )


@pytest.mark.keeps_memory
@pytest.mark.parametrize(("page", "blocks"), pages("package"))
def test_page_with_a_package(page, blocks, fake_dist):
    (project,) = (tomllib.loads(b.body)["project"] for b in blocks if b.head == "toml")
    files = {
        block.caption.removeprefix("src/"): block.body
        for block in blocks
        if block.caption.startswith("src/")
    }
    operators = project["entry-points"]["opforge.ops"]
    fake_dist(project["name"], version=project["version"], operators=operators, files=files)
    run_blocks(page, blocks)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "blocks"), pages("project"))
def test_page_with_a_project(page, blocks, tmp_path):
    """Make the project as the page says, install it, then run the code where it is installed."""
    site, package = tmp_path / "site", tmp_path / "package"
    run = Runner(tmp_path, site)
    run("-c", COMMAND_LINE, *made_with(blocks), "--output", package)
    for block in blocks:
        if block.caption and block.caption != "Output":
            made = (package / block.caption).read_text(encoding="utf-8")
            assert block.body == made, f"{page.name}:{block.line}: `opforge new` makes {made}"
    run("-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--quiet",
        "--target", site, package)  # fmt: skip

    plugins = run("-c", COMMAND_LINE, "plugins")
    assert "opforge-silu" in plugins and "0.1.0" in plugins
    shown = run("-c", COMMAND_LINE, "ops", "show", "silu")
    assert "beta" in shown and "Steepness of the gate." in shown
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", package / "tests")
    loader = (
        "import importlib.util, pathlib, sys\n"
        f"spec = importlib.util.spec_from_file_location('tutorials', {str(__file__)!r})\n"
        "module = importlib.util.module_from_spec(spec); sys.modules['tutorials'] = module\n"
        "spec.loader.exec_module(module)\n"
        f"page = pathlib.Path({str(page)!r})\n"
        "module.run_blocks(page, module.blocks_of(page))\n"
    )
    run("-c", loader)


def made_with(blocks: list[Block]) -> list[str]:
    """Return the arguments of the page's `opforge new`."""
    lines = [line for block in blocks if block.head == "console" for line in block.body.split("\n")]
    command = next(line for line in lines if line.startswith("$ opforge new"))
    return command.removeprefix("$ opforge ").split()


class Runner:
    """Runs this Python with one more folder of installed packages."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder = folder
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        self.env = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"}

    def __call__(self, *arguments: object) -> str:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout
