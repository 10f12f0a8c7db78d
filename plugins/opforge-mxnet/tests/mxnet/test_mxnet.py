"""The package: what it hands on, and that opforge works without it."""

import subprocess
import sys

import opforge.mxnet


def test_it_is_a_module_of_opforge():
    assert opforge.mxnet.__all__ == ["install", "restore_numpy_aliases", "uninstall"]


def test_importing_it_installs_nothing():
    code = """
import opforge.mxnet, sys
modules = {type(finder).__module__ for finder in sys.meta_path}
print("mxnet" in sys.modules, [name for name in modules if name.startswith("opforge_mxnet")])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False []\n"
