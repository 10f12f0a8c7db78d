"""Sphinx configuration; each build writes the reference pages from what is installed."""

import importlib.metadata
import inspect
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "scripts"))

project = "opforge"
author = "the opforge authors"
copyright = "2026, the opforge authors"
release = importlib.metadata.version("opforge")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "Thumbs.db", ".DS_Store"]

html_theme = "alabaster"
html_theme_options = {"description": "Operators as plugins", "fixed_sidebar": True}

autodoc_member_order = "groupwise"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False

PAGE = """# {title}

{aliases}```{{eval-rst}}
.. automodule:: {module}
   :members:
   :show-inheritance:
```
"""


def write_reference(app: Any) -> None:
    """Write a page for each public module and one for the operators."""
    import public_api

    folder = DOCS / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {}
    shown: dict[Any, list[str]] = {}
    for name, module in public_api.modules():
        shown.setdefault(module, []).append(name)
    for module, names in shown.items():
        aliases = f"Also `{'`, `'.join(names[1:])}`.\n\n" if names[1:] else ""
        pages[names[0]] = PAGE.format(title=names[0], aliases=aliases, module=module.__name__)
    pages["operators"] = operators_page()
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def operators_page() -> str:
    """Return the page of all registered operators: their signatures and generated docstrings."""
    import opforge

    lines = ["# Operators", "", "Functions of `opforge.nd`, from their declarations.", ""]
    for name in sorted(opforge.operator.get_all_registered_operators()):
        function = getattr(opforge.nd, name, None)
        if name.startswith("_") or not callable(function):
            continue
        lines += [f"## {name}", "", "```text", f"nd.{name}{_signature(function)}", "```", ""]
        lines += ["```text", inspect.getdoc(function) or "", "```", ""]
    return "\n".join(lines)


def _signature(function: Any) -> str:
    """Return the text of a signature, or nothing where there is none."""
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(...)"


def setup(app: Any) -> None:
    """Have the reference written before Sphinx looks for pages."""
    app.connect("config-inited", lambda app, config: write_reference(app))
