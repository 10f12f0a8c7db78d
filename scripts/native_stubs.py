"""Print the type stubs of the core's compiled modules; `--write` stores them next to the sources.

Signatures are those that Cython embeds in docstrings, so they contain the types that the `.pyx`
declares. What it does not declare is Any. A stub that does not start with the line below was
written by hand, because it has more than that, and is left unchanged.
"""

import ast
import functools
import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

CORE = Path(__file__).resolve().parents[1] / "core"
NATIVE = CORE / "opforge" / "native"
WIDTH = 100
HEADER = "# Written by scripts/native_stubs.py from the compiled module; do not edit."
#: Python types that Cython names in signatures; other names are classes or C types.
BUILTINS = {
    *("int", "float", "complex", "bool", "str", "bytes", "bytearray", "object"),
    *("list", "tuple", "dict", "set", "type"),
}
GENERIC = {"list": "list[Any]", "tuple": "tuple[Any, ...]", "dict": "dict[Any, Any]"}
GENERIC |= {"set": "set[Any]", "type": "type[Any]"}
#: Special methods whose types Python prescribes.
SPECIAL = {
    "__len__": "(self) -> int",
    "__repr__": "(self) -> str",
    "__bool__": "(self) -> bool",
    "__enter__": "(self) -> Self",
    "__exit__": "(self, *error: object) -> None",
    "__iter__": "(self) -> Iterator[Any]",
    "__next__": "(self) -> Any",
}


def stub_paths() -> list[Path]:
    """Return the stubs of all compiled modules except kernels, which only fill tables."""
    sources = sorted(NATIVE.rglob("*.pyx"))
    return [path.with_suffix(".pyi") for path in sources if path.parent.name != "kernels"]


def is_generated(path: Path) -> bool:
    """Return whether a stub is missing or was written by this script."""
    return not path.exists() or path.read_text(encoding="utf-8").startswith(HEADER)


def module_of(path: Path) -> ModuleType:
    """Return the compiled module of a stub."""
    return importlib.import_module(".".join(path.relative_to(CORE).with_suffix("").parts))


@functools.cache
def classes() -> dict[str, str]:
    """Return the module of each class of the compiled modules, by name."""
    found: dict[str, str] = {}
    for module in map(module_of, stub_paths()):
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__ == module.__name__:
                assert name not in found, f"{name}: in {found[name]} and {module.__name__}"
                found[name] = module.__name__
    return found


class _Stub:
    """Lines of a module's stub, and the imports that they need."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.imports: set[str] = set()
        self.lines: list[str] = []
        for name, value in sorted(vars(module).items()):
            if not name.startswith("__") and self._is_own(name, value):
                self.lines += self._entry(name, value)

    def _is_own(self, name: str, value: object) -> bool:
        listed = name in getattr(self.module, "__all__", ())
        if inspect.ismodule(value) or (name.startswith("_") and not callable(value)):
            return False
        return listed or getattr(value, "__module__", self.module.__name__) == self.module.__name__

    def _entry(self, name: str, value: Any) -> list[str]:
        if inspect.isclass(value):
            return self._class(name, value)
        if callable(value):
            return [f"def {name}{self._signature(name, value)}: ..."]
        kind = type(value).__name__
        return [f"{name}: {self._type(kind) if kind in BUILTINS else 'Any'}"]

    def _class(self, name: str, value: type) -> list[str]:
        base = value.__base__
        bases = "" if base in (object, None) else f"({self._type(base.__name__)})"
        body = []
        for key, member in sorted(vars(value).items()):
            if key.startswith(("__pyx", "__reduce", "__setstate")):
                continue
            if inspect.isgetsetdescriptor(member) or inspect.ismemberdescriptor(member):
                body += ["@property", f"def {key}(self) -> Any: ..."]
            elif key in SPECIAL:
                self.imports.add(SPECIAL[key])
                body.append(f"def {key}{SPECIAL[key]}: ...")
            elif key == "__call__" or (callable(member) and not key.startswith("__")):
                is_static = isinstance(member, staticmethod)
                body += ["@staticmethod"] if is_static else []
                body.append(f"def {key}{self._signature(key, member, not is_static)}: ...")
        body.insert(0, "def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
        return [f"class {name}{bases}:", *(f"    {line}" for line in body)]

    def _signature(self, name: str, value: Any, is_method: bool = False) -> str:
        """Return parameters and return type, from the docstring's first line if it has them."""
        line = (value.__doc__ or "").partition("\n")[0]
        if line.startswith(f"{name}(") and not line.startswith(f"{name}(signatures, args,"):
            try:
                (node,) = ast.parse(f"def {line}: ...").body
            except SyntaxError:
                pass
            else:
                assert isinstance(node, ast.FunctionDef)
                return self._parsed(node)
        try:
            text = str(inspect.signature(value))
        except ValueError:
            text = "(self, *args, **kwargs)" if is_method else "(*args, **kwargs)"
        (node,) = ast.parse(f"def f{text}: ...").body
        assert isinstance(node, ast.FunctionDef)
        return self._parsed(node)

    def _parsed(self, node: ast.FunctionDef) -> str:
        spec = node.args
        every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg]
        for argument in filter(None, every):
            if argument.arg == "self":
                continue
            given = ast.unparse(argument.annotation) if argument.annotation else "Any"
            argument.annotation = ast.Name(self._type(given))
        positional = [*spec.posonlyargs, *spec.args]
        with_default = zip(reversed(positional), reversed(spec.defaults), strict=False)
        for argument, default in [
            *with_default,
            *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
        ]:
            is_none = isinstance(default, ast.Constant) and default.value is None
            if is_none and argument.annotation.id != "Any":
                argument.annotation = ast.Name(f"{argument.annotation.id} | None")
        for defaults in (spec.defaults, spec.kw_defaults):
            defaults[:] = [item and ast.Constant(...) for item in defaults]
        returns = self._type(ast.unparse(node.returns)) if node.returns else "Any"
        return f"({ast.unparse(spec)}) -> {returns}"

    def _type(self, name: str) -> str:
        """Return the Python type for a type in a signature of Cython."""
        if name in BUILTINS:
            return f"{GENERIC.get(name, name)}" if name != "object" else "Any"
        if name == "None":
            return name
        if name == "ndarray":
            self.imports.add("import numpy as np")
            return "np.ndarray[Any, Any]"
        home = classes().get(name)
        if home not in (None, self.module.__name__):
            self.imports.add(f"from {home} import {name}")
        return name if home else "Any"

    def text(self) -> str:
        """Return the contents of the stub."""
        body = "\n".join(map(_wrap_line, self.lines))
        typing = [name for name in ("Any", "Self") if re.search(rf"\b{name}\b", body)]
        heads = ["from collections.abc import Iterator"] if "Iterator[" in body else []
        heads += [f"from typing import {', '.join(typing)}"] if typing else []
        own = sorted(line for line in self.imports if line.startswith("from "))
        numpy = "import numpy as np" if "import numpy as np" in self.imports else ""
        blocks = [HEADER, "\n".join(heads), numpy, "\n".join(own), body]
        return "\n\n".join(filter(None, blocks)) + "\n"


def _wrap_line(line: str) -> str:
    """Return a line of a stub; if it is too long, its parameters get a line, or a line each."""
    match = re.fullmatch(r"( *)(def \w+\()(.*)(\) -> .*)", line)
    if len(line) <= WIDTH or match is None:
        return line
    indent, start, parameters, end = match.groups()
    inner = [f"{indent}    {parameters}"]
    if len(inner[0]) > WIDTH:
        inner = [
            f"{indent}    {parameter}," for parameter in re.split(r", (?=\**\w+[:,=])", parameters)
        ]
    return "\n".join([indent + start, *inner, indent + end])


def text_of(path: Path) -> str:
    """Return the expected contents of the stub at `path`."""
    return _Stub(module_of(path)).text()


def main() -> None:
    """Print or store the stubs; those of modules without names are left out."""
    for path in filter(is_generated, stub_paths()):
        text = text_of(path)
        if "--write" in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(f"# {path.relative_to(CORE)}\n{text}\n")


if __name__ == "__main__":
    main()
