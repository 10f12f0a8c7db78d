"""Source files for the architecture tests: module names, imports, import cycles."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: An import or cimport in Cython: package and names, or a module.
CIMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<origin>[\w.]*)[ \t]+c?import[ \t]+"
    r"(?P<names>\([^)]*\)|[^#\n]*)|c?import[ \t]+(?P<module>[\w.]+))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Source:
    """One source file of the core or of a plugin."""

    path: Path
    base: Path  # folder that is on sys.path

    @property
    def shown(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    @property
    def is_python(self) -> bool:
        return self.path.suffix == ".py"

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @cached_property
    def module(self) -> str:
        """Dotted name of the module in the file."""
        parts = list(self.path.relative_to(self.base).with_suffix("").parts)
        return ".".join(parts[:-1] if self.is_package else parts)

    @cached_property
    def is_face(self) -> bool:
        """Whether the file only re-exports names that other modules define."""
        return self.is_python and all(map(_is_export, self.tree.body))

    def imports(self, known: frozenset[str]) -> set[str]:
        """Return the modules that the file imports, also in functions; `known` has all modules."""
        found: set[str] = set()
        for level, origin, names in self._python() if self.is_python else self._cython():
            base = self._absolute(level, origin)
            for name in names:
                inner = f"{base}.{name}"
                found.add(inner if inner in known else base)
        return found

    def _python(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the imports of a Python file as (dots, module, names)."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((0, alias.name, [""]) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                # A package's version is a constant of its __init__, set before any import.
                names = [alias.name for alias in node.names if alias.name != "__version__"]
                yield node.level, node.module or "", names

    def _cython(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the imports of a Cython file in the same form."""
        for match in CIMPORT.finditer(self.text):
            names = (match["names"] or "").strip("()").replace("\n", " ").split(",")
            plain = [name.split(" as ")[0].strip() for name in names]
            yield len(match["dots"] or ""), match["module"] or match["origin"], plain

    def _absolute(self, level: int, origin: str) -> str:
        if not level:
            return origin
        parts = self.module.split(".")
        parts = parts[: len(parts) - level + (1 if self.is_package else 0)]
        return ".".join([*parts, origin] if origin else parts)


def _is_export(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring, an import, `__all__` or an alias of a module.

    A module's `__getattr__` from another module also counts: it re-exports contributions of plugins
    or MXNet's names for other modules.
    """
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    if isinstance(statement, ast.If):
        return "TYPE_CHECKING" in ast.dump(statement.test)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) or "_add_aliases" in ast.dump(statement)
    if isinstance(statement, ast.Assign):
        (target, *_) = statement.targets
        names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
        return isinstance(target, ast.Subscript) or names in (
            ["__all__"],
            ["__getattr__", "__dir__"],
        )
    return False


def sources_under(folder: Path, base: Path) -> list[Source]:
    """Return every source file below `folder`, Python and Cython."""
    patterns = ("*.py", "*.pyx", "*.pxd")
    return [Source(path, base) for path in sorted(p for q in patterns for p in folder.rglob(q))]


def import_graph(sources: Iterable[Source]) -> dict[str, set[str]]:
    """Return the imports between modules; a module's .pyx and .pxd count as one."""
    listed = list(sources)
    known = frozenset(source.module for source in listed)
    graph: dict[str, set[str]] = {module: set() for module in known}
    for source in listed:
        graph[source.module] |= (source.imports(known) & known) - {source.module}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, each sorted: Tarjan's algorithm."""
    found: list[list[str]] = []
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        path.append(module)
        for other in sorted(graph[module]):
            if other not in order:
                visit(other)
            if other in path:
                low[module] = min(low[module], low[other])
        if low[module] == order[module]:
            group = path[path.index(module) :]
            del path[path.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(graph):
        if module not in order:
            visit(module)
    return sorted(found)
