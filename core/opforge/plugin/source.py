"""Declarations read from source text, without importing the plugin.

Listing must not run a plugin's code, so that what an operator's class body says is read from its
syntax tree: literal values of the protocol's fields, `Attribute` calls and the docstring. What is
computed is left out. Bases in the same module or distribution are followed.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..op.registry.kinds import KINDS
from .literals import COMPUTED, read_literal
from .places import Places, locate

if TYPE_CHECKING:
    from .source_attributes import ReadAttribute

__all__ = [
    "UNREADABLE",
    "SourceClass",
    "SourceDeclaration",
    "find_class",
    "import_origin",
    "read_declaration",
    "read_thing",
]

_FIELDS = (
    "arguments",
    "outputs",
    "auxiliary_states",
    "aliases",
    "version",
    "deprecated_since",
    "replacement",
    "category",
    "variadic",
    "argument_docs",
    "differentiable",
    "need_top_grad",
    "stateless",
    "attrs",
)


@dataclass
class SourceDeclaration:
    """Contents of a class body, read from source text.

    Parameters
    ----------
    file, line : str, int
        Where the class stands; empty and 0 if its source was not found.
    doc : str
        Its docstring.
    fields : dict
        Literal values of the protocol's fields.
    calls : dict of str to ast.Call
        How each typed attribute is made.
    problem : str
        Why something could not be read.
    """

    file: str = ""
    line: int = 0
    doc: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, ast.Call] = field(default_factory=dict)
    problem: str = ""

    @property
    def doc_line(self) -> str:
        """First line of the docstring."""
        text = self.doc.strip()
        return text.splitlines()[0].strip() if text else ""

    def names(self, key: str, default: Sequence[str]) -> Sequence[str]:
        """Return a field that is a list of names; `default` where it is not said, or no such list.

        Parameters
        ----------
        key : str
        default : sequence of str
        """
        value = self.fields.get(key, default)
        right = isinstance(value, (tuple, list)) and all(isinstance(name, str) for name in value)
        return value if right else default

    @cached_property
    def attributes(self) -> "dict[str, ReadAttribute]":
        """The typed attributes, understood when somebody asks: lists of operators do not."""
        from .source_attributes import read_attribute

        return {name: read_attribute(name, call) for name, call in self.calls.items()}


@dataclass(frozen=True)
class SourceClass:
    """A class in a source file, which was not imported.

    Parameters
    ----------
    file : Path
    lineage : tuple of ast.ClassDef
        The class itself, then its bases as far as their source is in the same package.
    """

    file: Path
    lineage: tuple[ast.ClassDef, ...]


def read_declaration(value: str, name: str, places: Places = None) -> SourceDeclaration:
    """Read the declaration that an entry point names.

    Parameters
    ----------
    value : str
        ``module:class``; with only a module, or an object that is no class, the class whose
        ``name`` is `name` is looked for in the module.
    name : str
        Registered name of the operator or layer.
    places : tuple of str, optional
        Folders to look in instead of `sys.path`.
    """
    module = value.partition(":")[0].strip()
    file = locate(module, places)
    if file is None:
        return SourceDeclaration(problem=f"the source of module {module} was not found")
    try:
        found = find_class(value, name, places)
    except LookupError as error:
        function = _function(file, value)
        if function is not None:
            doc = ast.get_docstring(function) or ""
            return SourceDeclaration(str(file), function.lineno, doc)
        return SourceDeclaration(str(file), problem=str(error.args[0]))
    node = found.lineage[0]
    declaration = SourceDeclaration(str(file), node.lineno, ast.get_docstring(node) or "")
    for base in reversed(found.lineage):
        _read_body(base, declaration)
    return declaration


def read_thing(noun: str, value: str, name: str, places: Places = None) -> SourceDeclaration:
    """Read what an entry point of a kind names: a declaration, or a module's own docstring.

    Parameters
    ----------
    noun : str
        Of `op.registry.kinds.KINDS`.
    value, name, places
        As for `read_declaration`.
    """
    if not KINDS[noun].is_module:
        return read_declaration(value, name, places)
    file = locate(value.partition(":")[0].strip(), places)
    if file is None:
        return SourceDeclaration(problem=f"the source of module {value} was not found")
    try:
        return SourceDeclaration(str(file), 1, ast.get_docstring(_tree(file)) or "")
    except UNREADABLE as error:
        return SourceDeclaration(str(file), problem=f"{type(error).__name__}: {error}")


def find_class(value: str, name: str, places: Places = None) -> SourceClass:
    """Return the syntax tree of the class that an entry point names; see `read_declaration`.

    Raises
    ------
    LookupError
        Its source was not found or cannot be read; the first argument says why.
    """
    module, _, path = (part.strip() for part in value.partition(":"))
    file = locate(module, places)
    if file is None:
        raise LookupError(f"the source of module {module} was not found")
    try:
        classes = _classes(file)
        node = classes.get(path) or _named(classes, name)
        if node is None:
            raise LookupError(f"no class {path or name} in {file}")
        return SourceClass(file, tuple(_lineage(node, file, module, places, depth=0)))
    except UNREADABLE as error:
        raise LookupError(f"{type(error).__name__}: {error}") from error


#: What reading and parsing a file may raise, whatever stands in it.
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)


@cache
def _tree(file: Path) -> ast.Module:
    """Return what declares something in a file; of functions there are heads and docstrings.

    The rest would be kept too, and counted by the garbage collector: half of the time of a list.
    """
    tree = ast.parse(file.read_bytes(), filename=str(file))
    tree.body[1:] = [node for node in tree.body[1:] if isinstance(node, _KEPT)]
    for node in tree.body:
        for inner in (node, *(node.body if isinstance(node, ast.ClassDef) else ())):
            if isinstance(inner, _FUNCTIONS):
                del inner.body[1:]
    return tree


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Beside the first statement, which may be the docstring.
_KEPT = (ast.ClassDef, ast.ImportFrom, *_FUNCTIONS)


def _classes(file: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _tree(file).body if isinstance(node, ast.ClassDef)}


def _function(file: Path, value: str) -> ast.FunctionDef | None:
    """Return the function that an entry point names, as one of a model does."""
    path = value.partition(":")[2].strip()
    try:
        body = _tree(file).body
    except UNREADABLE:
        return None
    functions = (node for node in body if isinstance(node, ast.FunctionDef))
    return next((node for node in functions if node.name == path), None)


def _named(classes: dict[str, ast.ClassDef], name: str) -> ast.ClassDef | None:
    """Return the class that is registered as `name`."""
    for node in classes.values():
        for key, value in _assignments(node):
            if key == "name" and read_literal(value) == name:
                return node
    return classes.get(name)


def _lineage(
    node: ast.ClassDef, file: Path, module: str, places: Places, depth: int
) -> Iterator[ast.ClassDef]:
    """Yield the class and those of its bases whose source is in the same package."""
    yield node
    if depth > 8:
        return
    for base in node.bases:
        if not isinstance(base, ast.Name):
            continue
        local = _classes(file).get(base.id)
        if local is not None and local is not node:
            yield from _lineage(local, file, module, places, depth + 1)
            continue
        origin = import_origin(_tree(file).body, base.id, file, module)
        other = locate(origin[0], places) if origin else None
        if origin and other is not None:
            try:
                found = _classes(other).get(origin[1])
            except UNREADABLE:
                continue
            if found is not None:
                yield from _lineage(found, other, origin[0], places, depth + 1)


def import_origin(
    body: list[ast.stmt], name: str, file: Path, module: str
) -> tuple[str, str] | None:
    """Return module and name if `name` is imported from a module of the same package.

    Parameters
    ----------
    body : list of ast.stmt
        Of the module.
    name : str
    file : Path
        Of the module.
    module : str
    """
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in body:
        if not isinstance(node, ast.ImportFrom):
            continue
        for alias in node.names:
            if (alias.asname or alias.name) != name:
                continue
            parts = package.split(".")[: len(package.split(".")) - max(node.level - 1, 0)]
            target = ".".join([*parts, node.module or ""]) if node.level else node.module or ""
            # Another distribution's base, OperatorProp above all, adds no field worth reading.
            if target.split(".")[0] == module.split(".")[0]:
                return target.rstrip("."), alias.name
    return None


def _read_body(node: ast.ClassDef, found: SourceDeclaration) -> None:
    for key, value in _assignments(node):
        if isinstance(value, ast.Call) and _callee(value) == "Attribute":
            found.calls[key] = value
            continue
        found.calls.pop(key, None)  # a base's attribute that this class has a value for
        if key in _FIELDS:
            literal = read_literal(value)
            if literal is not COMPUTED:
                found.fields[key] = literal


def _assignments(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value
        elif (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.value is not None
        ):
            yield statement.target.id, statement.value


def _callee(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
