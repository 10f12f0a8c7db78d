"""Modules of the plugin below `opforge`: imported when used, and run by ``python -m``."""

import importlib
import subprocess
import sys

from opforge.op.registry.catalogue import first_party


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_one_module_does_not_import_the_others():
    code = (
        "import opforge, sys; opforge.mod.Module; "
        "print([n for n in ('rnn', 'rtc', 'contrib', 'test_utils') "
        "if f'opforge_mxnet.{n}' in sys.modules])"
    )
    assert run("-c", code).stdout == "[]\n"


def test_all_modules_are_there():
    own = [name for name, where in first_party("module").items() if where == "opforge-mxnet"]
    assert {"gluon.contrib.nn", "mod", "viz"} <= set(own)
    for name in own:
        module = importlib.import_module(f"opforge.{name}")
        assert module.__name__.startswith("opforge_mxnet.")


def test_python_runs_a_package_by_its_main_module():
    done = run("-m", "opforge.mxnet", "-c", "import mxnet as mx; print(mx.nd.ones(1).asscalar())")
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


def test_python_rejects_a_package_without_one():
    done = run("-m", "opforge.rnn")
    assert done.returncode == 1
    assert "opforge.rnn has no __main__ that python -m could run" in done.stderr
