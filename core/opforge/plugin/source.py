"""Declarations read from source text, without importing the plugin.

Listing must not run a plugin's code, so declarations are read from the syntax tree of the class
body: literal values of the protocol's fields, `Attribute` calls and the docstring. Computed values
are omitted. Base classes in the same module or distribution are followed.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..op.registry.kinds import KINDS
from .literals import COMPUTED, read_literal
from .module_location import SearchFolders, locate

if TYPE_CHECKING:
    from .source_attributes import ReadAttribute

__all__ = [
    "UNREADABLE",
    "SourceClass",
    "SourceDeclaration",
    "find_class",
    "import_origin",
    "read_contribution",
    "read_declaration",
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
    "dtypes",
    "argument_dtypes",
    "output_dtypes",
    "numpy_types_only",
)
#: Fields that classes inherit from bases in opforge, whose source is not read.
_INHERITED: dict[str, dict[str, Any]] = {
    "Floating": {"dtypes": ("floating",)},
    "NativeOperator": {"numpy_types_only": True},
}


@dataclass
class SourceDeclaration:
    """Contents of a class body, read from source text.

    Parameters
    ----------
    file, line : str, int
        Location of the class; empty and 0 if its source was not found.
    doc : str
        Its docstring.
    fields : dict
        Literal values of the protocol's fields.
    computed : set of str
        Fields with values that are not literal.
    calls : dict of str to ast.Call
        `Attribute` call of each typed attribute.
    problem : str
        Why the declaration could not be read completely.
    """

    file: str = ""
    line: int = 0
    doc: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    computed: set[str] = field(default_factory=set)
    calls: dict[str, ast.Call] = field(default_factory=dict)
    problem: str = ""

    @property
    def doc_line(self) -> str:
        """First line of the docstring."""
        text = self.doc.strip()
        return text.splitlines()[0].strip() if text else ""

    def names(self, key: str, default: Sequence[str]) -> Sequence[str]:
        """Return a field that is a list of names; `default` if it is missing or of another type.

        Parameters
        ----------
        key : str
        default : sequence of str
        """
        value = self.fields.get(key, default)
        is_valid = isinstance(value, (tuple, list)) and all(isinstance(v, str) for v in value)
        return value if is_valid else default

    @cached_property
    def attributes(self) -> "dict[str, ReadAttribute]":
        """The typed attributes, parsed on first access, which listing does not need."""
        from .source_attributes import read_attribute

        return {name: read_attribute(name, call) for name, call in self.calls.items()}


@dataclass(frozen=True)
class SourceClass:
    """A class in a source file, without an import.

    Parameters
    ----------
    file : Path
    lineage : tuple of ast.ClassDef
        The class, then its bases whose source is in the same package.
    """

    file: Path
    lineage: tuple[ast.ClassDef, ...]


def read_declaration(value: str, name: str, folders: SearchFolders = None) -> SourceDeclaration:
    """Read the declaration that an entry point names.

    Parameters
    ----------
    value : str
        ``module:class``. For a module only, or an object that is not a class, the class in the
        module whose ``name`` is `name`.
    name : str
        Registered name of the operator or layer.
    folders : tuple of str, optional
        Folders to look in instead of `sys.path`.
    """
    module = value.partition(":")[0].strip()
    file = locate(module, folders)
    if file is None:
        return SourceDeclaration(problem=f"the source of module {module} was not found")
    try:
        found = find_class(value, name, folders)
    except LookupError as error:
        function = _function(file, value)
        if function is not None:
            if isinstance(function, ast.Assign):
                doc = _text_argument(function)
            else:
                doc = ast.get_docstring(function) or ""
            return SourceDeclaration(str(file), function.lineno, doc)
        return SourceDeclaration(str(file), problem=str(error.args[0]))
    node = found.lineage[0]
    declaration = SourceDeclaration(str(file), node.lineno, ast.get_docstring(node) or "")
    for base in reversed(found.lineage):
        _read_body(base, declaration)
    return declaration


def read_contribution(
    noun: str, value: str, name: str, folders: SearchFolders = None
) -> SourceDeclaration:
    """Read the declaration that an entry point names; for a module, its docstring.

    Parameters
    ----------
    noun : str
        Kind, a key of `op.registry.kinds.KINDS`.
    value, name, folders
        As for `read_declaration`.
    """
    if not KINDS[noun].is_module:
        return read_declaration(value, name, folders)
    module = value.partition(":")[0].strip()
    file = locate(module, folders)
    if file is None:
        # A package may create modules without files.
        package = locate(module.rpartition(".")[0], folders)
        if package is not None and package.name == "__init__.py":
            return SourceDeclaration(str(package), 1, ast.get_docstring(_tree(package)) or "")
        return SourceDeclaration(problem=f"the source of module {value} was not found")
    try:
        return SourceDeclaration(str(file), 1, ast.get_docstring(_tree(file)) or "")
    except UNREADABLE as error:
        return SourceDeclaration(str(file), problem=f"{type(error).__name__}: {error}")


def find_class(value: str, name: str, folders: SearchFolders = None) -> SourceClass:
    """Return the syntax tree of the class that an entry point names; see `read_declaration`.

    Raises
    ------
    LookupError
        Its source was not found or cannot be read; the first argument is the reason.
    """
    module, _, path = (part.strip() for part in value.partition(":"))
    file = locate(module, folders)
    if file is None:
        raise LookupError(f"the source of module {module} was not found")
    try:
        classes = _classes(file)
        node = classes.get(path) or _find_class(classes, name)
        if node is None:
            raise LookupError(f"no class {path or name} in {file}")
        return SourceClass(file, tuple(_lineage(node, file, module, folders, depth=0)))
    except UNREADABLE as error:
        raise LookupError(f"{type(error).__name__}: {error}") from error


#: Exceptions that reading and parsing an arbitrary file may raise.
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)


@cache
def _tree(file: Path) -> ast.Module:
    """Return the declarations in a file, with functions reduced to signature and docstring.

    Keeping the rest would double the time of a listing, because of the garbage collector.
    """
    tree = ast.parse(file.read_bytes(), filename=str(file))
    tree.body[1:] = [
        node for node in tree.body[1:] if isinstance(node, _KEPT) or _assigned_call(node)
    ]
    for node in tree.body:
        for inner in (node, *(node.body if isinstance(node, ast.ClassDef) else ())):
            if isinstance(inner, _FUNCTIONS):
                del inner.body[1:]
    return tree


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Statements to keep, in addition to the first, which may be the docstring.
_KEPT = (ast.ClassDef, ast.ImportFrom, *_FUNCTIONS)


def _classes(file: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _tree(file).body if isinstance(node, ast.ClassDef)}


def _assigned_call(node: ast.stmt) -> str:
    """Return the name to which a statement assigns the result of a call; empty for others."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        (target, *_) = node.targets
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def _text_argument(node: ast.Assign) -> str:
    """Return the last string among the arguments of an assigned call, as a description."""
    arguments = node.value.args if isinstance(node.value, ast.Call) else []
    constants = (part.value for part in arguments if isinstance(part, ast.Constant))
    texts = [value for value in constants if isinstance(value, str)]
    return texts[-1] if texts else ""


def _function(file: Path, value: str) -> ast.FunctionDef | ast.Assign | None:
    """Return the statement that defines a function, for instance that of a model.

    It may be the result of a call: ``resnet18 = preset(...)``.
    """
    path = value.partition(":")[2].strip()
    try:
        body = _tree(file).body
    except UNREADABLE:
        return None
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == path:
            return node
        if isinstance(node, ast.Assign) and path and _assigned_call(node) == path:
            return node
    return None


def _find_class(classes: dict[str, ast.ClassDef], name: str) -> ast.ClassDef | None:
    """Return the class that is registered as `name`."""
    for node in classes.values():
        for key, value in _assignments(node):
            if key == "name" and read_literal(value) == name:
                return node
    return classes.get(name)


def _lineage(
    node: ast.ClassDef, file: Path, module: str, folders: SearchFolders, depth: int
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
            yield from _lineage(local, file, module, folders, depth + 1)
            continue
        origin = import_origin(_tree(file).body, base.id, file, module)
        other = locate(origin[0], folders) if origin else None
        if origin and other is not None:
            try:
                found = _classes(other).get(origin[1])
            except UNREADABLE:
                continue
            if found is not None:
                yield from _lineage(found, other, origin[0], folders, depth + 1)


def import_origin(
    body: list[ast.stmt], name: str, file: Path, module: str
) -> tuple[str, str] | None:
    """Return module and name if `name` is imported from a module of the same package.

    Parameters
    ----------
    body : list of ast.stmt
        Statements of the module.
    name : str
    file : Path
        File of the module.
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
            # Bases in other distributions, usually OperatorProp, add no relevant fields.
            if target.split(".")[0] == module.split(".")[0]:
                return target.rstrip("."), alias.name
    return None


def _read_body(node: ast.ClassDef, found: SourceDeclaration) -> None:
    for base in node.bases:
        name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
        found.fields.update(_INHERITED.get(name, {}))
    for key, value in _assignments(node):
        if isinstance(value, ast.Call) and _callee(value) == "Attribute":
            found.calls[key] = value
            continue
        found.calls.pop(key, None)  # this class overrides an attribute of a base by a value
        if key in _FIELDS:
            literal = read_literal(value)
            if literal is COMPUTED:
                found.computed.add(key)
            else:
                found.fields[key] = literal
                found.computed.discard(key)


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
