"""Tests of the requirements of distributions."""

from importlib.metadata import PathDistribution, distribution

import pytest

from opforge.base.version import VERSION
from opforge.plugin.requirements import Unmet, unmet_requirements


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


@pytest.mark.plugins
def test_requirements_that_cannot_be_compared(tmp_path, write_metadata):
    info = write_metadata(tmp_path, "acme", "1.0", {})
    with (info / "METADATA").open("a") as file:
        file.write("Requires-Dist: numpy; python_version ~= 'x'\nRequires-Dist: a b c\n")
    assert [unmet.name for unmet in unmet_requirements(PathDistribution(info))] == ["a b c"]
