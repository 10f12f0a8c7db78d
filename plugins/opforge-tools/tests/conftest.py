"""The fixture of the core's command line, which tests of commands need as well."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).resolve().parents[3] / "tests" / "unit" / "cli" / "conftest.py"

_spec = importlib.util.spec_from_file_location("unit_cli_conftest", PATH)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
opforge = _module.opforge
