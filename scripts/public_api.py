"""List the public names of opforge; `--write` stores the list that a test compares with.

Public modules are those that `opforge.__all__` names and those that the plugins of this repository
bring, the packages inside them, and the modules that these hand on. Their public names are those in
`__all__`, or where there is none (`nd`, which grows with the registry) those that stand in the
module and are opforge's own. Operators are left out: they come from the registry and have tests of
their own.
"""

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

LIST = Path(__file__).resolve().parents[1] / "tests" / "architecture" / "public_api.txt"


def modules() -> list[tuple[str, ModuleType]]:
    """Return (public name, module), sorted."""
    import opforge
    from opforge.op.registry.catalogue import FIRST_PARTY

    found = {"opforge": opforge}
    for name in [*opforge.__all__, *FIRST_PARTY["module"]]:
        value = getattr(opforge, name)
        if inspect.ismodule(value):
            found[f"opforge.{name}"] = value
            found.update(_inside(f"opforge.{name}", value))
    return sorted(found.items())


def _inside(shown: str, module: ModuleType) -> dict[str, ModuleType]:
    """Return the public modules inside a package."""
    found: dict[str, ModuleType] = {}
    handed_on = set(dir(module)) & set(getattr(module, "__all__", dir(module)))
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if info.name.startswith("_") or not (info.ispkg or _is_handed_on(module, info, handed_on)):
            continue
        inner = importlib.import_module(f"{module.__name__}.{info.name}")
        found[f"{shown}.{info.name}"] = inner
        found.update(_inside(f"{shown}.{info.name}", inner))
    return found


def _is_handed_on(module: ModuleType, info: pkgutil.ModuleInfo, names: set[str]) -> bool:
    """Tell whether a module without `_` is offered by its package and not just a part of it."""
    lazy = getattr(module, "_LAZY", {})
    return info.name in lazy or (hasattr(module, "__all__") and info.name in names)


def names_of(module: ModuleType) -> list[str]:
    """Return the public names of a module, sorted; operators and modules are left out."""
    from opforge.op.registry import registry

    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [
            name for name in set(dir(module)) - set(registry.names()) if _is_own(module, name)
        ]
    return sorted({name for name in listed if not inspect.ismodule(getattr(module, name))})


def _is_own(module: ModuleType, name: str) -> bool:
    """Tell whether opforge defines what stands under a name without `_`."""
    value = getattr(module, name)
    return not name.startswith("_") and getattr(value, "__module__", "").startswith("opforge")


def names() -> list[str]:
    """Return every public name with its module, sorted."""
    return sorted({f"{shown}.{name}" for shown, module in modules() for name in names_of(module)})


def main() -> None:
    """Print or store the list."""
    text = "\n".join(names()) + "\n"
    if "--write" in sys.argv[1:]:
        LIST.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
