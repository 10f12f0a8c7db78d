import sys
import zipfile
from pathlib import Path

import pytest
from opforge_tools.reference import wheels
from opforge_tools.reference.wheels import installed_packages, wheel_packages

from opforge.cli.reference.declarations import operators_of


def test_a_wheel_is_read_and_not_run(make_wheel):
    with wheel_packages(make_wheel()) as (package,):
        assert (package.provider.name, package.provider.version) == ("acme-gelu", "1.2.0")
        assert package.provider.provides["operator"] == {"gelu": "acme_gelu:Gelu"}
        assert package.requires_python == ">=3.11"
        assert package.requires_opforge == ">=0.1,<2"
        assert package.home == "https://acme.example/gelu"
        (gelu,) = operators_of(package.provider, package.folders)
        assert gelu.problem == ""
        assert gelu.prop_class.attributes["slope"].range_text == "0 <= slope <= 1"
    assert "acme_gelu" not in sys.modules
    assert not Path(*package.folders).exists()


def test_the_newest_of_several_versions_is_shown(make_wheel):
    for version in ("1.9", "1.10", "1.10rc1", "0.1+cpu"):
        folder = make_wheel(version)
    with wheel_packages(folder) as (package,):
        assert package.provider.version == "1.10"


def test_wheels_without_operators_are_left_out(make_wheel):
    folder = make_wheel(points="[console_scripts]\nx = y:z\n")
    with wheel_packages(folder) as found:
        assert found == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"../escaped.py": "x"}, "would be written outside"),
        ({"/escaped.py": "x"}, "would be written outside"),
        ({"a\\..\\escaped.py": "x"}, "would be written outside"),
        ({"big.py": "#" * 3_000_000}, "has more than"),
        ({"acme_gelu-1.2.0.dist-info/METADATA": None}, "its METADATA has no name"),
    ],
)
def test_hostile_wheels_are_problems(make_wheel, tmp_path, options, problem):
    with wheel_packages(make_wheel(**options)) as (package,):
        assert problem in package.problem
        assert package.provider.name == "acme_gelu"
    assert not list(tmp_path.rglob("escaped.py"))


def test_too_many_files(make_wheel, monkeypatch):
    monkeypatch.setattr(wheels, "_MOST_FILES", 1)
    with wheel_packages(make_wheel(**{"other.py": ""})) as (package,):
        assert "2 source files, expected at most 1" in package.problem


def test_invalid_wheels_are_reported(tmp_path):
    (tmp_path / "torn-1.0-py3-none-any.whl").write_bytes(b"PK\x03\x04 no more")
    with wheel_packages(tmp_path) as (package,):
        assert "is not a wheel: File is not a zip file" in package.problem
    with zipfile.ZipFile(tmp_path / "torn-1.0-py3-none-any.whl", "w"):
        pass
    with wheel_packages(tmp_path) as (package,):
        assert "expected one .dist-info" in package.problem


@pytest.mark.parametrize("home", ["javascript:alert(1)", "https://a.example/\"onclick='x'", ""])
def test_links_lead_to_web_pages_only(make_wheel, home):
    text = f"Name: acme-gelu\nVersion: 1\nHome-page: {home}\n"
    with wheel_packages(make_wheel("1", metadata=text)) as (package,):
        assert package.home == ""


@pytest.mark.plugins
def test_installed_packages():
    found = {package.provider.name: package for package in installed_packages()}
    assert {"opforge", "opforge-softmax"} <= set(found)
    assert found["opforge"].requires_python == ">=3.11"
    assert found["opforge-softmax"].summary
