"""A page for each public module, written before Sphinx looks for pages; autodoc fills them."""

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import public_api  # a script of this repository

from opforge.plugin_api import kernels


def write_module_pages(app: Any) -> None:
    """Write a page for each public module into ``reference/api``."""
    folder = Path(app.srcdir) / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    pages = module_pages()
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def module_pages() -> dict[str, str]:
    """Return the text of each page, by the name of its module."""
    pages = {}
    shown: dict[Any, list[str]] = {}
    # Plugins call kernels by a name that is looked up, so that no package has it.
    for name, module in [*public_api.modules(), ("opforge.plugin_api.kernels", kernels)]:
        shown.setdefault(module, []).append(name)
    described: dict[int, str] = {}
    # Short names first: what a package hands on is described there and not in its inner modules.
    for module, names in sorted(shown.items(), key=lambda item: (item[1][0].count("."), item[1])):
        text = module_page(module, names, described)
        if text:
            pages[names[0]] = text
    return pages


def module_page(module: ModuleType, names: list[str], described: dict[int, str]) -> str:
    """Return the page of a module, or nothing if others describe all that it has."""
    new, elsewhere = [], []
    # A plugin's module is known to programs by the name that opforge gives it.
    path = module.__name__ if module.__name__.startswith("opforge.") else names[0]
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
        new.append(f".. {kind}:: {path}.{name}")
        if kind == "autoclass":
            new += ["   :members:", "   :show-inheritance:"]
        new.append("")
    if not new:
        return ""
    lines = [f"# {names[0]}", ""]
    lines += [f"Also `{'`, `'.join(names[1:])}`.", ""] if names[1:] else []
    lines += [
        "```{eval-rst}",
        f".. automodule:: {path}",
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


def keep_bars(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Let ``|x|`` in a docstring mean the absolute value, not a substitution."""
    for i, line in enumerate(lines):
        if "|" in line and "`" not in line and not line.lstrip().startswith(">>>"):
            lines[i] = line.replace("|", "\\|")


def keep_public(app: Any, name: str, value: Any, options: Any, bases: list[Any]) -> None:
    """Let "Bases" have what a reader knows: of a private class its own bases."""
    while private := [base for base in bases if getattr(base, "__name__", "").startswith("_")]:
        at = bases.index(private[0])
        bases[at : at + 1] = [base for base in private[0].__bases__ if base not in bases]


def setup(app: Any) -> dict[str, bool]:
    """Have the pages written at each build."""
    app.connect("config-inited", lambda app, config: write_module_pages(app))
    app.connect("autodoc-process-docstring", keep_bars)
    app.connect("autodoc-process-bases", keep_public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
