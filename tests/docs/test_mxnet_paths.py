"""All names below ``import mxnet`` exist, except for a list that may only shrink."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield importlib.import_module("mxnet_paths")
    for name in ("mxnet_paths", "mxnet_api"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["mxnet_paths", "mxnet_missing"])
def test_the_lists_are_up_to_date(name):
    # A process of its own: tests register operators, and MXNet has some of these names.
    command = [sys.executable, SCRIPTS / f"{name}.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_lost_name_is_found(script, monkeypatch):
    from opforge import gluon

    # importlib: the alias of the attribute is what is to go
    importlib.import_module("opforge.gluon.trainer")
    api = json.loads(script.LIST.read_text(encoding="utf-8"))
    api["reachable"] = {"mxnet.gluon": api["reachable"]["mxnet.gluon"]}
    before = script.flat(script.missing(api))
    monkeypatch.delattr(gluon, "Trainer")
    assert script.flat(script.missing(api)) - before == {"mxnet.gluon.Trainer"}


def test_private_and_imported_names_are_in_mxnets_list(script):
    names = json.loads(script.LIST.read_text(encoding="utf-8"))["reachable"]
    assert "_flatten" in names["mxnet.gluon.block"]["own"].split()
    assert "Parameter" in names["mxnet.gluon.block"]["mxnet"].split()
    assert "ForkingPickler" in names["mxnet.gluon.data.dataloader"]["foreign"].split()
    assert "mxnet.optimizer.optimizer" in names


@pytest.mark.parametrize(
    ("path", "name", "kind", "words"),
    [
        ("mxnet.numpy.linalg", "", "own", "mx.np"),
        ("mxnet", "np", "own", "mx.np"),
        ("mxnet.ndarray.ndarray", "check_call", "mxnet", "C library"),
        ("mxnet.gluon.block", "_BlockScope", "own", "helper"),
        ("mxnet.gluon.block", "warnings", "foreign", "import for themselves"),
        ("mxnet.metric", "PCC", "own", "no part of opforge yet"),
    ],
)
def test_reasons(script, path, name, kind, words):
    assert words in script.reason(path, name, kind)
