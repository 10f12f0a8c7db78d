"""Battery for the operators that a single Python file registers or declares."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry

from ..checks.layers import check_layer
from ..checks.operators import check_op
from ..report.report import Report

__all__ = ["check_file"]


def check_file(
    path: Path, *, only: str | None = None, minimum: int | None = None, stress: int = 1
) -> list[Report]:
    """Run a Python file and check the operators that it registers or declares.

    Layers are checked if the file's ``LAYER_CHECKS`` list them.

    Parameters
    ----------
    path : Path
    only, minimum, stress
        As in `check_distribution`.

    Returns
    -------
    list of Report
    """
    before = set(registry.custom_names())
    module = _run(path)
    registered = sorted(set(registry.custom_names()) - before)
    classes = [registry.lookup_custom(name).prop_class for name in registered]
    declared = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        and issubclass(item, OperatorProp)
        and item.__module__ == module.__name__
        and item.name
        and item not in classes
    ]
    layers = [getattr(module, name) for name in getattr(module, "LAYER_CHECKS", {})]
    options: dict[str, Any] = {"only": only, "minimum": minimum, "raises": False}
    reports = [
        *(check_op(item, stress=stress, **options) for item in (*registered, *declared)),
        *(check_layer(item, **options) for item in layers),
    ]
    return [report for report in reports if report.outcomes]


def _run(path: Path) -> ModuleType:
    """Import the file under its own name, so that pickle and sibling files can import it."""
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_checked"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LookupError(f"{path} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return module
