"""Errors of from-imports carry the explanation of the attribute's error."""

import importlib
import importlib.util
import os
import subprocess
import sys
from types import ModuleType

import pytest

from opforge.plugin.import_errors import ImportErrors

#: A name that a plugin provides -> the distribution that its error names.
IMPORTS = {
    "from opforge.gluon.nn import Conv2D": "opforge-convolution",
    "from opforge.gluon.rnn import LSTM": "opforge-recurrent",
    "from opforge.gluon.loss import CTCLoss": "opforge-sequence",
    "from opforge.gluon.data import RecordFileDataset": "opforge-image",
    "from opforge.gluon.data.vision import MNIST": "opforge-image",
    "from opforge.gluon.model_zoo.vision import resnet18_v1": "opforge-models",
    "from opforge.io import ImageRecordIter": "opforge-image",
    "from opforge.nd import softmax": "opforge-softmax",
    "from opforge.ndarray.contrib import box_nms": "opforge-detection",
    "from opforge.symbol import softmax": "opforge-softmax",
    "from opforge.optimizer import LBSGD": "opforge-optimizers",
    "from opforge import image": "opforge-image",
}
PROGRAM = """
import sys
for line in sys.stdin.read().splitlines():
    try:
        exec(line, {})
    except ImportError as error:
        print(line, "|", str(error).replace(chr(10), " "))
"""


def test_from_imports_name_the_distribution():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(IMPORTS),
        env={**os.environ, "OPFORGE_PLUGINS": "none"},
        check=True,
        capture_output=True,
        text=True,
    )
    errors = dict(line.split(" | ") for line in done.stdout.splitlines())
    assert errors.keys() == IMPORTS.keys()
    for line, distribution in IMPORTS.items():
        assert f"{distribution} provides it" in errors[line]


def test_import_statements_raise_module_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"cannot be imported: .* layer 'fx_nothing'"):
        importlib.import_module("opforge.gluon.nn.fx_nothing")
    with pytest.raises(ModuleNotFoundError, match=r"cannot be imported: .* operator 'fx_nothing'"):
        exec("from opforge.ndarray.contrib import fx_nothing")
    with pytest.raises(ImportError, match="cannot import name 'fx_nothing'"):
        exec("from opforge.gluon import fx_nothing")


@pytest.mark.parametrize("name", ["gluon.nn.fx_nothing", "fx_nothing", "nd.fx_nothing"])
def test_missing_modules_have_no_spec(name):
    assert importlib.util.find_spec(f"opforge.{name}") is None


def test_other_packages_are_not_asked(monkeypatch):
    module = ModuleType("fx_package")
    module.__getattr__ = lambda name: pytest.fail(f"{name} was looked up")
    monkeypatch.setitem(sys.modules, "fx_package", module)
    assert ImportErrors().find_spec("fx_package.part") is None
    assert ImportErrors().find_spec("fx_nothing") is None
    assert ImportErrors().find_spec("opforge.nd._private") is None
