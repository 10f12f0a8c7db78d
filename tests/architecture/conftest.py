"""The source tree as the architecture tests see it: files, module names, imports."""

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\b|c?import\s+([\w.]+))")


@dataclass(frozen=True)
class Source:
    """One source file of the core or of a plugin."""

    path: Path
    base: Path  # folder that stands on sys.path

    @property
    def shown(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.shown)

    @property
    def is_python(self) -> bool:
        return self.path.suffix == ".py"

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @cached_property
    def module(self) -> str:
        """Dotted name of the module that the file holds."""
        parts = list(self.path.relative_to(self.base).with_suffix("").parts)
        return ".".join(parts[:-1] if self.is_package else parts)

    @cached_property
    def is_face(self) -> bool:
        """True where the file only hands on what other modules define."""
        return self.is_python and all(map(_hands_on, self.tree.body))

    def imports(self, known: frozenset[str]) -> set[str]:
        """Return the modules that the file imports, also in functions; `known` has all modules."""
        found: set[str] = set()
        if not self.is_python:
            for line in self.text.splitlines():
                if match := CIMPORT.match(line):
                    found.add(match[1] or match[2])
            return found
        for node in _live_nodes(self.tree):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = self._absolute(node)
                for alias in node.names:
                    if alias.name == "__version__":
                        continue  # a constant of the package's face, there before anything else
                    inner = f"{origin}.{alias.name}"
                    found.add(inner if inner in known else origin)
        return found

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        drop = node.level - (1 if self.is_package else 0)
        parts = parts[: len(parts) - drop]
        return ".".join([*parts, node.module] if node.module else parts)


def _hands_on(statement: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, an import, `__all__` or an alias of a module.

    A module's `__getattr__` that is made elsewhere hands on what plugins bring.
    """
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return True
    if isinstance(statement, ast.If):
        return "TYPE_CHECKING" in ast.dump(statement.test)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Assign):
        (target, *_) = statement.targets
        names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
        return isinstance(target, ast.Subscript) or names in (
            ["__all__"],
            ["__getattr__", "__dir__"],
        )
    return False


def _live_nodes(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes but those under `if TYPE_CHECKING:`, which never run."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)
    return nodes


@pytest.fixture(scope="session")
def core_sources() -> list[Source]:
    """Return every source file of the core, Python and Cython."""
    patterns = ("*.py", "*.pyx", "*.pxd")
    paths = sorted(p for pattern in patterns for p in (CORE / "opforge").rglob(pattern))
    assert paths, "no sources found: the tests must run in a checkout"
    return [Source(path, CORE) for path in paths]


@pytest.fixture(scope="session")
def plugin_sources() -> list[Source]:
    """Return every Python file that a plugin installs."""
    found = []
    for src in sorted(ROOT.glob("plugins/*/src")):
        found += [Source(path, src) for path in sorted(src.rglob("*.py"))]
    return found


@pytest.fixture(scope="session")
def known_modules(core_sources: list[Source]) -> frozenset[str]:
    """Return the names of all modules of the core."""
    return frozenset(source.module for source in core_sources)
