"""Sphinx configuration; each build writes the reference pages from what is installed."""

import importlib.metadata
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "scripts"))
import public_api  # noqa: E402  (a script of this repository)

project = "opforge"
author = "the opforge authors"
copyright = "2026, the opforge authors"
release = importlib.metadata.version("opforge")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "Thumbs.db", ".DS_Store"]

# Types in docstrings are words ("dtype"), which may be members of several classes: no links.
suppress_warnings = ["ref.python"]

html_theme = "alabaster"
html_theme_options = {"description": "Operators as plugins", "fixed_sidebar": True}

autodoc_member_order = "groupwise"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False


def write_reference(app: Any) -> None:
    """Write a page for each public module, and one for each operator and layer."""
    write_operator_pages(DOCS / "reference" / "operators")
    folder = DOCS / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    pages = {}
    shown: dict[Any, list[str]] = {}
    for name, module in public_api.modules():
        shown.setdefault(module, []).append(name)
    described: dict[int, str] = {}
    # Short names first: what a package hands on is described there and not in its inner modules.
    for module, names in sorted(shown.items(), key=lambda item: (item[1][0].count("."), item[1])):
        text = module_page(module, names, described)
        if text:
            pages[names[0]] = text
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def module_page(module: ModuleType, names: list[str], described: dict[int, str]) -> str:
    """Return the page of a module, or nothing if others describe all that it has."""
    new, elsewhere = [], []
    for name in public_api.names_of(module):
        value = getattr(module, name)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            continue
        if not str(value.__module__).startswith("opforge"):
            continue  # what a star import hands on of other packages, as MXNet's does
        if id(value) in described:
            elsewhere.append(f"`{name}` ({described[id(value)]})")
            continue
        described[id(value)] = f"`{names[0]}`"
        kind = "autoclass" if inspect.isclass(value) else "autofunction"
        new.append(f".. {kind}:: {module.__name__}.{name}")
        if kind == "autoclass":
            new += ["   :members:", "   :show-inheritance:"]
        new.append("")
    if not new:
        return ""
    lines = [f"# {names[0]}", ""]
    lines += [f"Also `{'`, `'.join(names[1:])}`.", ""] if names[1:] else []
    lines += [
        "```{eval-rst}",
        f".. automodule:: {module.__name__}",
        "   :no-index:",
        "",
        *new,
        "```",
        "",
    ]
    lines += (
        ["Described on other pages: " + ", ".join(sorted(elsewhere)) + ".", ""] if elsewhere else []
    )
    return "\n".join(lines)


def write_operator_pages(folder: Path) -> None:
    """Write what ``opforge docs`` writes for all that is installed; remove all other pages."""
    from opforge.reference.files import leftover_files, write_files
    from opforge.reference.pages import MARK, page_texts

    texts = page_texts()
    write_files(folder, texts)
    for path in leftover_files(folder, texts, MARK):
        path.unlink()


def keep_bars(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Let ``|x|`` in a docstring mean the absolute value, not a substitution."""
    for i, line in enumerate(lines):
        if "|" in line and "`" not in line and not line.lstrip().startswith(">>>"):
            lines[i] = line.replace("|", "\\|")


def setup(app: Any) -> None:
    """Have the reference written before Sphinx looks for pages."""
    app.connect("config-inited", lambda app, config: write_reference(app))
    app.connect("autodoc-process-docstring", keep_bars)
