"""A page for each public module, written before Sphinx reads the sources; autodoc fills them."""

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import public_api  # a script of this repository

from opforge.op.registry.catalogue import first_party
from opforge.plugin_api import kernels

#: Module -> kind of the plugins' contributions that are its attributes and have no other page.
CONTRIBUTIONS = {"opforge.gluon.data": "dataset", "opforge.io": "iterator"}
PRIVATE = "opforge.native."
#: A bar, or the asterisk of the last item of a shape.
SYMBOL = re.compile(r"\||(?<=[( ])\*(?=\w+\))")


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
    # Plugins look kernels up by name, so no package contains this module.
    for name, module in [*public_api.modules(), ("opforge.plugin_api.kernels", kernels)]:
        shown.setdefault(module, []).append(name)
    for names in shown.values():
        names.sort(key=lambda name: (name.count("."), name))
    described: dict[int, str] = {}
    # Short names first: a package documents the names that it re-exports, not its inner modules.
    for module, names in sorted(shown.items(), key=lambda item: (item[1][0].count("."), item[1])):
        text = module_page(module, names, described)
        if text:
            pages[names[0]] = text
    return pages


def module_page(module: ModuleType, names: list[str], described: dict[int, str]) -> str:
    """Return the page of a module, or "" if other pages describe all its members."""
    new, elsewhere = [], []
    # Programs import a plugin's module under opforge's name, and kernels from `plugin_api`.
    own = module.__name__.startswith("opforge.") and not module.__name__.startswith(PRIVATE)
    path = module.__name__ if own else names[0]
    provided = first_party(CONTRIBUTIONS[path]) if path in CONTRIBUTIONS else {}
    for name in [*public_api.names_of(module), *sorted(provided)]:
        value = getattr(module, name)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            continue
        if not str(value.__module__).startswith("opforge"):
            continue  # star imports re-export names of other packages, as in MXNet
        if id(value) in described:
            elsewhere.append(f"`{name}` ({described[id(value)]})")
            continue
        described[id(value)] = f"`{names[0]}`"
        kind = "autoclass" if inspect.isclass(value) else "autofunction"
        new.append(f".. {kind}:: {path}.{name}")
        if kind == "autoclass":
            new += ["   :members:", "   :show-inheritance:"]
        if name in provided:
            new += ["", f"   Provided by {provided[name]}."]
        new.append("")
    if not new:
        return ""
    lines = [f"# {names[0]}", ""]
    lines += [f"Also `{'`, `'.join(names[1:])}`.", ""] if names[1:] else []
    lines += [
        "```{eval-rst}",
        f".. automodule:: {module.__name__ if module is kernels else path}",
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


def escape_symbols(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Escape symbols of docstrings that are markup in reStructuredText.

    ``|x|`` means the absolute value, not a substitution; ``(channels, *kernel)`` is a shape, not
    the start of an emphasis.
    """
    for i, line in enumerate(lines):
        if "`" not in line and not line.lstrip().startswith(">>>"):
            lines[i] = SYMBOL.sub(r"\\\g<0>", line)


def keep_public(app: Any, name: str, value: Any, options: Any, bases: list[Any]) -> None:
    """Replace private classes in "Bases" by their bases."""
    while private := [base for base in bases if getattr(base, "__name__", "").startswith("_")]:
        at = bases.index(private[0])
        bases[at : at + 1] = [base for base in private[0].__bases__ if base not in bases]


def skip_added(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Skip the methods that scikit-learn adds to classes that derive from its estimators."""
    return True if str(getattr(value, "__module__", "")).startswith("sklearn.") else None


def setup(app: Any) -> dict[str, bool]:
    """Write the pages in each build."""
    app.connect("config-inited", lambda app, config: write_module_pages(app))
    app.connect("autodoc-process-docstring", escape_symbols)
    app.connect("autodoc-process-bases", keep_public)
    app.connect("autodoc-skip-member", skip_added)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
