"""Fixtures of the core's unit tests that the tools' tests need as well: fake distributions."""

import importlib.util
from pathlib import Path
from types import ModuleType

UNIT = Path(__file__).resolve().parents[3] / "tests" / "unit"


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"unit_{path.parent.name}_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


with_plugins = _module(UNIT / "conftest.py").with_plugins
opforge = _module(UNIT / "cli" / "conftest.py").opforge
