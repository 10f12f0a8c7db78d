"""List the public names of opforge; `--write` stores the list that a test compares with.

Public modules are those in `opforge.__all__` and those that the plugins of this repository provide,
the packages inside them, and the modules that these re-export. Their public names are those in
`__all__` or, without it (`nd`, which grows with the registry), those in the module that opforge
defines. Operators are left out: they come from the registry and have separate tests.
"""

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType

from stored_list import print_or_store

LIST = Path(__file__).resolve().parents[1] / "tests" / "architecture" / "public_api.txt"


def modules() -> list[tuple[str, ModuleType]]:
    """Return (public name, module), sorted."""
    import opforge
    from opforge.op.registry.catalogue import first_party

    found = {"opforge": opforge}
    for name in [*opforge.__all__, *first_party("module")]:
        value = getattr(opforge, name)
        # Modules without a file are MXNet's names for other modules.
        if inspect.ismodule(value) and hasattr(value, "__file__"):
            found[f"opforge.{name}"] = value
            found.update(_inside(f"opforge.{name}", value))
    return sorted(found.items())


def _inside(shown: str, module: ModuleType) -> dict[str, ModuleType]:
    """Return the public modules inside a package."""
    found: dict[str, ModuleType] = {}
    exported = set(dir(module)) & set(getattr(module, "__all__", dir(module)))
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if info.name.startswith("_") or not (info.ispkg or _is_exported(module, info, exported)):
            continue
        inner = importlib.import_module(f"{module.__name__}.{info.name}")
        found[f"{shown}.{info.name}"] = inner
        found.update(_inside(f"{shown}.{info.name}", inner))
    return found


def _is_exported(module: ModuleType, info: pkgutil.ModuleInfo, names: set[str]) -> bool:
    """Return whether a package offers a module without `_` rather than only containing it."""
    lazy = getattr(module, "_LAZY", {})
    return info.name in lazy or (hasattr(module, "__all__") and info.name in names)


def names_of(module: ModuleType) -> list[str]:
    """Return the public names of a module, sorted; operators and modules are left out."""
    from opforge.op.registry import registry

    listed = getattr(module, "__all__", None)
    if listed is None:
        # A module imports the names in `_LAZY` on first use.
        known = {*dir(module), *getattr(module, "_LAZY", {})} - set(registry.names())
        listed = [name for name in known if _is_own(module, name)]
    return sorted({name for name in listed if not inspect.ismodule(getattr(module, name))})


def _is_own(module: ModuleType, name: str) -> bool:
    """Return whether opforge defines the object with a name without `_`."""
    value = getattr(module, name)
    return not name.startswith("_") and getattr(value, "__module__", "").startswith("opforge")


def names() -> list[str]:
    """Return every public name with its module, sorted."""
    return sorted({f"{shown}.{name}" for shown, module in modules() for name in names_of(module)})


if __name__ == "__main__":
    print_or_store("\n".join(names()) + "\n", LIST)
