"""The include folder for authors of native operators."""

import subprocess
import sys
from pathlib import Path

import opforge


def test_the_folder_has_the_header_and_cython_files():
    folder = Path(opforge.get_include())
    assert {path.name for path in (folder / "opforge").iterdir()} >= {
        "abi.h",
        "abi.pxd",
        "module.h",
    }


def test_plugins_are_built_without_the_compiled_core():
    """A build for a sanitizer, for instance, cannot load the modules that it produces."""
    text = (
        "import sys; from opforge import build; build.get_include();"
        "sys.exit(any(name.startswith('opforge.native') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0
