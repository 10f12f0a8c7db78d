import sys

import pytest
from opforge_tools.testing._battery.project.project import installed_project

from opforge import plugin
from opforge.testing import check_distribution

TABLE = """
[project]
name = "acme-five"
version = "3.0"

[project.entry-points.opforge]
five = "acme_five"

[project.entry-points."opforge.ops"]
fivefold = "acme_five:Fivefold"

[project.scripts]
five = "acme_five:main"
"""


pytestmark = pytest.mark.usefixtures("clean_registry")


def project(folder, text=TABLE, sources="src"):
    (folder / sources).mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        (TABLE, "src"),
        (TABLE, "."),
        (f'{TABLE}[tool.setuptools.packages.find]\nwhere = ["lib"]\n', "lib"),
        (f'{TABLE}[tool.setuptools]\npackage-dir = {{ "" = "lib" }}\n', "lib"),
    ],
)
def test_it_is_installed_in_the_block(tmp_path, text, sources):
    before = list(sys.path)
    with installed_project(project(tmp_path, text, sources)) as name:
        (state,) = [s for s in plugin.states() if s.provider.name == name == "acme-five"]
        assert state.provider.version == "3.0"
        assert state.provider.names("operator") == ["fivefold"]
        assert str(tmp_path / sources) in sys.path
    assert sys.path == before
    assert "acme-five" not in [state.provider.name for state in plugin.states()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[project]\nname = 'acme-five'\n", "no entry points in the group 'opforge'"),
        ("[tool.ruff]\n", r"no \[project\] with a name"),
    ],
)
def test_a_project_without_a_plugin(tmp_path, text, message):
    with (
        pytest.raises(LookupError, match=message),
        installed_project(project(tmp_path, text)),
    ):
        pass


def test_a_folder_without_a_project(tmp_path):
    with pytest.raises(LookupError, match=r"no pyproject\.toml"), installed_project(tmp_path):
        pass


def test_a_project_of_commands_alone(tmp_path):
    text = (
        "[project]\nname = 'acme-five'\n[project.entry-points.'opforge.commands']\n"
        "five = 'acme_five:run'\n"
    )
    (project(tmp_path, text) / "src" / "acme_five.py").write_text(
        'def run():\n    """Print five."""\n    print(5)\n'
    )
    with installed_project(tmp_path) as name:
        (own,) = check_distribution(name)
    assert own.passed
    assert "commands" in [outcome.check for outcome in own.outcomes]
