"""The package: what it hands on, and that opforge works without it."""

import subprocess
import sys

import opforge.mxnet


def test_it_is_a_module_of_opforge():
    assert opforge.mxnet.__all__ == ["install", "restore_numpy_aliases", "uninstall"]


def test_importing_it_installs_nothing():
    code = "import opforge.mxnet, sys; print('mxnet' in sys.modules, len(sys.meta_path))"
    plain = "import opforge, sys; print('mxnet' in sys.modules, len(sys.meta_path))"
    outputs = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for text in (code, plain)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].startswith("False")
