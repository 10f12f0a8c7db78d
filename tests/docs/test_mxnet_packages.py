"""The table of packages for MXNet is written by scripts/mxnet_packages."""

import importlib.util
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "scripts" / "mxnet_packages"
REPORT = """
<testsuite>
  <testcase classname="a" name="passes"/>
  <testcase classname="a" name="skips"><skipped message="no"/></testcase>
  <testcase classname="a" name="fails"><failure message="E: no network here">
    raise ValueError("a quoted line with old")
    </failure></testcase>
  <testcase classname="a" name="breaks"><error message="E: old name">trace</error></testcase>
  <testcase classname="b" name="surprises"><failure message="E: new">trace</failure></testcase>
</testsuite>
"""


@pytest.fixture
def script(monkeypatch):
    spec = importlib.util.spec_from_file_location("mxnet_packages", FOLDER / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "mxnet_packages", module)
    spec.loader.exec_module(module)
    return module


def packages():
    return tomllib.loads((FOLDER / "packages.toml").read_text(encoding="utf-8"))["packages"]


def test_failures_get_their_reasons(script):
    reasons = {"no network": "needs a network", "old": "it is old"}
    found = script.outcome(ElementTree.fromstring(REPORT).iter("testcase"), reasons)
    assert (found.passed, found.skipped) == (1, 1)
    assert found.reasons == {"needs a network": 1, "it is old": 1}
    (unknown,) = found.unknown
    assert unknown.startswith("b::surprises: E: new")
    row = script.row({"name": "x", "version": "1.0"}, found)
    assert row == "| x 1.0 | 1 | 3 | 1: needs a network; 1: it is old; 1: unknown |"


def test_the_page_has_a_row_of_each_package(script):
    text = script.PAGE.read_text(encoding="utf-8")
    table = text.partition(script.BEGIN)[2].partition(script.END)[0]
    for package in packages():
        assert f"| {package['name']} {package['version']} |" in table
    assert "unknown" not in table


def test_installed_versions_are_those_of_the_table():
    lines = (FOLDER / "packages.txt").read_text(encoding="utf-8").splitlines()
    installed = {line for line in lines if not line.startswith("#")}
    assert installed == {f"{package['name']}=={package['version']}" for package in packages()}
