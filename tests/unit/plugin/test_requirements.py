"""Tests of what distributions require."""

from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest

from opforge.base.version import VERSION
from opforge.plugin.requirements import Unmet, remedy, unmet_requirements
from opforge.testing._battery.metadata import write_metadata


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


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("ImportError: _native", "build it: pip install -e '/x y', or leave it out"),
        ("acme was built for version 1.9: upgrade opforge", "pip install -U opforge, or leave it"),
        (
            "acme is in quarantine",
            "pip install -e '/x y', or load it all the same with OPFORGE_PROBE=0",
        ),
    ],
)
def test_native_plugins(tmp_path, monkeypatch, error, line):
    write_metadata(tmp_path, "acme-native", "1.0", {}, Path("/x y"))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert line in remedy("acme-native", error)


def test_requirements_that_cannot_be_compared(tmp_path):
    info = write_metadata(tmp_path, "acme", "1.0", {})
    with (info / "METADATA").open("a") as file:
        file.write("Requires-Dist: numpy; python_version ~= 'x'\nRequires-Dist: a b c\n")
    assert [unmet.name for unmet in unmet_requirements(PathDistribution(info))] == ["a b c"]
