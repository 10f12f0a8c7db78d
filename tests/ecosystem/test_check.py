"""The battery as authors run it: on an installed plugin, on a project folder, and under pytest."""

import json
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.slow

PROJECT = """
[project]
name = "acme-fourfold"
version = "1.0"
[project.entry-points.opforge]
fourfold = "acme_fourfold"
[project.entry-points."opforge.ops"]
fourfold = "acme_fourfold.operators:Fourfold"
"""

SOURCES = {
    "__init__.py": (
        '"""Four times."""\n'
        "from opforge.plugin_api import hookimpl\n"
        "@hookimpl\n"
        "def opforge_operators():\n"
        "    from .operators import Fourfold\n"
        "    return [Fourfold]\n"
    ),
    "operators.py": (
        "from opforge.plugin_api import OperatorProp\n"
        "class Fourfold(OperatorProp):\n"
        "    '''Multiply by four.'''\n"
        "    name = 'fourfold'\n"
        "    def compose(self, F, data):\n"
        "        return data * 4\n"
    ),
    "checks.py": "OPERATOR_CHECKS = {'fourfold': {'reference': lambda data: FACTOR * data}}\n",
}

TESTS = """
from opforge.plugin_api import OperatorProp
from opforge.testing import check_op

class Own(OperatorProp):
    '''Copy.'''
    name = "own_copy"
    def compose(self, F, data):
        return data * 1

def test_battery(fake_dist):
    fake_dist("acme-own", operators=[Own])
    check_op("own_copy")
"""


@pytest.mark.parametrize("name", ["dense", "normalization", "sigmoid", "softmax", "tile"])
def test_installed_plugins(full, name):
    found = json.loads(full.run("opforge", "check", f"opforge-{name}", "--json").stdout)
    assert found["passed"] and len(found["reports"]) > 2
    assert all(report["ran"] >= report["minimum"] for report in found["reports"])


def test_a_plugin_that_does_not_load_is_shown_with_its_traceback(crowded):
    done = crowded.run("opforge", "check", "acme-broken", code=1)
    assert "ImportError: libacme.so.3 is missing" in done.stdout
    # Another provider of the name is installed; the requested one is checked.
    done = crowded.run("opforge", "check", "acme-rival", "--json")
    assert [r["provider"] for r in json.loads(done.stdout)["reports"]] == ["acme-rival 2.5"] * 2


@pytest.fixture
def project(tmp_path):
    """Return a function that writes a project whose reference multiplies by a factor."""

    def write(factor):
        package = tmp_path / "src" / "acme_fourfold"
        package.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pyproject.toml").write_text(PROJECT)
        for name, text in SOURCES.items():
            (package / name).write_text(text.replace("FACTOR", str(factor)))
        return tmp_path

    return write


def test_a_project_that_is_not_installed(authors, project, tmp_path):
    junit = tmp_path / "battery.xml"
    # Sources change within a second and keep their size, so bytecode of the first would be reused.
    settings = {"PYTHONDONTWRITEBYTECODE": "1"}
    done = authors.run("opforge", "check", project(4), "--junit", junit, **settings)
    assert "2 of 2 passed" in done.stdout
    assert len(ElementTree.parse(junit).getroot()) == 2
    done = authors.run("opforge", "check", project(5), code=1, **settings)
    assert "forward" in done.stdout and "1 of 2 passed" in done.stdout
    assert "acme-fourfold" in authors.run("opforge", "check", "acme-fourfold", code=2).stderr


def test_fixtures_are_found_by_their_entry_point(environment, wheels, tmp_path):
    (tmp_path / "test_own.py").write_text(TESTS)
    made = environment(wheels["opforge"], wheels["opforge-tools"])
    done = made.run("python", "-m", "pytest", "-p", "no:cacheprovider", tmp_path / "test_own.py")
    assert "1 passed" in done.stdout
