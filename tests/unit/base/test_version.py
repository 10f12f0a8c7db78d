"""The version is stated in two files, which must agree."""

import tomllib
from pathlib import Path

import opforge
from opforge.base.version import VERSION

ROOT = Path(__file__).resolve().parents[3]


def test_is_that_of_the_distribution():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION


def test_is_shown_by_the_package():
    assert opforge.__version__ == VERSION
