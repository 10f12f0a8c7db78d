"""Imports between the packages of the plugin go in one direction."""

import ast
from pathlib import Path

import opforge_mpi
import pytest

ROOT = Path(opforge_mpi.__file__).parent
#: Package, or public module -> what its modules may import besides each other.
ALLOWED = {
    "errors": set(),
    "library": set(),
    "settings": set(),
    "examination": set(),
    "process": set(),
    "transport": {"library"},
    "collectives": {"errors", "library", "settings", "process", "transport"},
    "training": {"collectives", "transport"},
    "sampling": {"training"},
    "horovod": {"library", "collectives", "training"},
    "benchmarks": {"collectives", "training", "examination"},
}


def imported(path: Path) -> set[tuple[str, ...]]:
    """Return the modules of the plugin that a file imports, as paths from its root."""
    here = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            module = tuple(node.module.split(".")) if node.module else ()
            for name in (alias.name for alias in node.names):
                target = (*base, *module)
                is_module = (ROOT.joinpath(*target) / f"{name}.py").exists() or not target
                found.add((*target, name) if is_module else target)
    return found


def sources() -> dict[tuple[str, ...], Path]:
    paths = (path for path in ROOT.rglob("*.py") if path.name != "__init__.py")
    return {path.relative_to(ROOT).with_suffix("").parts: path for path in paths}


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_in_one_direction(package):
    allowed = {package, *ALLOWED[package]}
    wrong = [
        f"{'.'.join(module)} imports {'.'.join(target)}"
        for module, path in sources().items()
        if module[0] == package
        for target in imported(path)
        if target[0] not in allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_every_package_has_a_rule():
    assert {module[0] for module in sources()} == ALLOWED.keys()


def test_no_modules_import_each_other():
    users = {module: imported(path) & sources().keys() for module, path in sources().items()}
    while users:
        free = {module for module, targets in users.items() if not targets & users.keys()}
        assert free, f"circular imports among {sorted('.'.join(module) for module in users)}"
        users = {module: targets for module, targets in users.items() if module not in free}
