"""Tests of what distributions require."""

from importlib.metadata import distribution

import pytest

from opforge.base.version import VERSION
from opforge.plugin.requirements import Unmet, remedy, unmet_requirements


@pytest.mark.parametrize(
    ("requirement", "name", "here", "line"),
    [
        ("opforge>=99", "opforge", VERSION, "pip install -U opforge"),
        ("opforge==99.*", "opforge", VERSION, "pip install -U opforge"),
        ("opforge<0.1", "opforge", VERSION, "pip install -U acme"),
        ("numpy<1", "numpy", "2.0", "pip install 'numpy<1'"),
        ("missing", "missing", "", "pip install 'missing'"),
    ],
)
def test_lines(requirement, name, here, line):
    assert Unmet(requirement, name, here).line("acme") == line


def test_installed_ones(installed):
    installed("fx-versions", "fx-good")
    (unmet,) = unmet_requirements(distribution("fx-versions"))
    assert unmet.text == f"it requires opforge>=99, but opforge {VERSION} is installed"
    assert unmet_requirements(distribution("fx-good")) == []


def test_remedies(installed):
    installed("fx-versions", "fx-good")
    assert remedy("fx-versions").endswith("is installed: pip install -U opforge")
    wanted = "pip install -U fx-good, or leave it out: opforge plugins disable fx-good"
    assert remedy("fx-good") == wanted
    assert "opforge plugins disable nothing" in remedy("nothing")
