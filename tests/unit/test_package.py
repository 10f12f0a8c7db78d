"""The package's face: its names, loaded when they are used."""

import subprocess
import sys

import pytest

import opforge


def test_every_public_name_is_there():
    for name in opforge.__all__:
        assert getattr(opforge, name) is not None
    assert set(opforge.__all__) <= set(dir(opforge))


def test_unknown_name():
    with pytest.raises(AttributeError, match="has no attribute 'no_such_module'"):
        opforge.no_such_module  # noqa: B018


def test_import_is_light():
    code = (
        "import sys, opforge\n"
        "heavy = {'pluggy', 'typer', 'rich', 'opforge.ndarray', 'opforge.gluon', 'opforge.cli'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "opforge.nd\n"
        "print('opforge.ndarray' in sys.modules, 'opforge.gluon' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nTrue False\n"


def test_other_names_of_one_module():
    assert opforge.nd is opforge.ndarray
    assert opforge.init is opforge.initializer
    assert opforge.MXNetError is opforge.base.MXNetError
