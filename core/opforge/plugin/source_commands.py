"""Help of commands read from source text, so that listing commands imports no plugin."""

import ast
from collections.abc import Iterator

from .literals import COMPUTED, read_literal
from .module_location import SearchFolders, locate
from .source import UNREADABLE, import_origin

__all__ = ["command_help"]

#: Maximum number of re-exports to follow.
_MOST_STEPS = 8


def command_help(value: str, folders: SearchFolders = None) -> str:
    """Return the first paragraph of a command's help in one line; empty if not found.

    Parameters
    ----------
    value : str
        ``module:attribute`` of a function, whose docstring is its help, or of a ``typer.Typer``,
        whose help is its ``help`` argument, or the docstring of its callback or only command.
    folders : tuple of str, optional
        Folders to look in instead of `sys.path`.
    """
    module, _, name = (part.strip() for part in value.partition(":"))
    for _ in range(_MOST_STEPS):
        file = locate(module, folders)
        if file is None:
            return ""
        try:
            body = ast.parse(file.read_bytes(), filename=str(file)).body
        except UNREADABLE:
            return ""
        found = _help(body, name)
        if found is not None:
            return " ".join(found.strip().partition("\n\n")[0].split())
        origin = import_origin(body, name, file, module)
        if origin is None:
            return ""
        module, name = origin
    return ""


def _help(body: list[ast.stmt], name: str) -> str | None:
    """Return the help of the command that a module binds to a name; None if it does not."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _targets(node):
            return _help_argument(node.value) or _help_of_functions(body, name)
    return None


def _targets(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return (target.id for target in targets if isinstance(target, ast.Name))


def _help_argument(value: ast.expr | None) -> str:
    for keyword in value.keywords if isinstance(value, ast.Call) else ():
        if keyword.arg == "help":
            text = read_literal(keyword.value)
            return "" if text is COMPUTED or not isinstance(text, str) else text
    return ""


def _help_of_functions(body: list[ast.stmt], name: str) -> str:
    """Return the docstring of the callback of a Typer, or of its only command."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    for kind in ("callback", "command"):
        found = [node for node in functions if _is_decorated(node, name, kind)]
        if found and (kind == "callback" or len(found) == 1):
            return ast.get_docstring(found[0]) or ""
    return ""


def _is_decorated(node: ast.FunctionDef, name: str, kind: str) -> bool:
    """Return whether a function is decorated with ``@name.kind(...)``."""
    return any(
        isinstance(call, ast.Call) and ast.unparse(call.func) == f"{name}.{kind}"
        for call in node.decorator_list
    )
