"""The page that compares MXNet's API with opforge's is up to date, and so is the comparison."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "mxnet_api.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("mxnet_api", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date():
    # A process of its own: tests register operators, and MXNet has some of these names.
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_list_is_of_mxnet_1_9_1(script):
    api = json.loads(script.LIST.read_text(encoding="utf-8"))
    assert api["version"] == "1.9.1"
    assert api["operators"][""]["softmax"] == "data, length, axis, temperature, dtype, use_length"
    assert api["modules"]["mxnet.gluon"]["Block"][""] == "prefix=None, params=None"
    assert "mxnet.module" in api["modules"]
    # Where it is defined or a part of the way to it, not wherever it is imported.
    holders = [name for name, found in api["modules"].items() if "NDArray" in found]
    assert holders == ["mxnet.ndarray"]


@pytest.mark.parametrize(
    ("mxnet", "opforge", "text"),
    [
        ("a, b=1", "a, b=1", ""),
        ("a, b=1", "a, b=1, c=2", ""),
        ("a, b=1", "a, *, b=1", ""),
        ("a, b", "a", "lacks `b`"),
        ("a, b", "a, **kwargs", ""),
        ("a, b", "b, a", "`a` at another place"),
        ("_, b", "labels, b", ""),
        ("a=1", "a=2", "`a`: `2`, in MXNet `1`"),
        ("a=1", "a", "`a`: required, in MXNet `1`"),
        ("a", "a=1", ""),
        ("a=?", "a=1", ""),
        ("*args, k=1", "*args, k=1", ""),
        (None, "a", ""),
    ],
)
def test_differences_of_signatures(script, mxnet, opforge, text):
    assert script.difference(mxnet, opforge) == text


def test_signatures_as_text(script):
    def function(a, b=1, *args, c=(), d=print, e="x, y", **kwargs):
        pass

    assert script.signature(function) == "a, b=1, *args, c=(), d=?, e=?, **kwargs"
    assert script.signature(lambda a, *, b: None) == "a, *, b"


def test_members_that_a_constructor_sets_are_found(script):
    class Example:
        def __init__(self):
            self.value = 1

    result = script.Comparison()
    for name in ("value", "other"):
        result.add(name, None, script.find_member(Example, name))
    assert (result.present, result.absent) == (["value"], ["other"])


def test_modules_are_found_by_their_short_names(script):
    import opforge

    assert script.find_module("mxnet.nd") is opforge.ndarray
    assert script.find_module("mxnet.gluon.data.vision") is opforge.gluon.data.vision
    assert script.find_module("mxnet.nothing_of_this_name") is None
