"""List the public names of opforge; `--write` stores the list that a test compares with.

A name is public when a public module has it in `__all__`. Public modules are those that
`opforge.__all__` names, and the public modules inside them. Operator functions are left out: they
come from the registry and have tests of their own.
"""

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

LIST = Path(__file__).resolve().parents[1] / "tests" / "architecture" / "public_api.txt"
#: Packages of the inner layers; programs and plugins reach them through the public faces.
INNER = {"native", "op", "std", "plugin", "cli"}


def modules() -> list[tuple[str, ModuleType]]:
    """Return (public name, module), sorted."""
    import opforge

    found = {"opforge": opforge}
    for name in opforge.__all__:
        value = getattr(opforge, name)
        if inspect.ismodule(value):
            found[f"opforge.{name}"] = value
            found.update(_inside(f"opforge.{name}", value))
    return sorted(found.items())


def _inside(shown: str, module: ModuleType) -> dict[str, ModuleType]:
    """Return the public modules inside a package."""
    found: dict[str, ModuleType] = {}
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if info.name.startswith("_") or info.name in INNER:
            continue
        inner = importlib.import_module(f"{module.__name__}.{info.name}")
        found[f"{shown}.{info.name}"] = inner
        found.update(_inside(f"{shown}.{info.name}", inner))
    return found


def names() -> list[str]:
    """Return every public name with its module, sorted."""
    found = []
    for shown, module in modules():
        public = getattr(module, "__all__", None)
        if public is None:
            raise SystemExit(f"{module.__name__} has no __all__")
        found += [f"{shown}.{name}" for name in public if not _is_operator(module, name)]
    return sorted(set(found))


def _is_operator(module: ModuleType, name: str) -> bool:
    """Tell whether a name stands for a registered operator."""
    return hasattr(getattr(module, name, None), "__opforge_operator__")


def main() -> None:
    """Print or store the list."""
    text = "\n".join(names()) + "\n"
    if "--write" in sys.argv[1:]:
        LIST.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
