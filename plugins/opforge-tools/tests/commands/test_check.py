"""``opforge check``, run in this process: the battery itself has its own tests."""

import json
import sys
from xml.etree import ElementTree

import pytest
from opforge_tools.testing._isolation import isolated
from typer.testing import CliRunner

from opforge.cli.app import app
from opforge.op.declaring.declaration import OperatorProp


class Good(OperatorProp):
    """Multiply by two."""

    name = "good_of_check"

    def compose(self, F, data):
        return data * 2


class Bad(OperatorProp):
    name = "bad_of_check"

    def compose(self, F, data):
        return data * 2


@pytest.fixture
def check(fake_dist):
    """Return a function that runs the command where two distributions are installed."""
    fake_dist("acme-good", operators=[Good])
    fake_dist("acme-bad", operators=[Bad])

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, ["check", *map(str, arguments)])
        assert result.exit_code == code, result.output
        return result

    return run


def test_table(check):
    text = check("acme-good").stdout
    assert "distribution acme-good: 3 passed" in text
    assert "2 of 2 passed" in text and "throughput, elements/s" in text


def test_json_and_junit(check, tmp_path):
    file = tmp_path / "battery.xml"
    found = json.loads(check("acme-good", "--json", "--junit", file).stdout)
    assert found["passed"] is True
    assert [row["subject"] for row in found["reports"]] == ["acme-good", "good_of_check"]
    assert len(ElementTree.parse(file).getroot()) == 2


def test_plugin_output_is_excluded_from_the_report(check, fake_dist):
    class Loud(Good):
        """Print what it does."""

        name = "loud_of_check"

        def compose(self, F, data):
            print("computing")
            return data * 2

    fake_dist("acme-loud", operators=[Loud])
    result = check("acme-loud", "--json", code=1)
    assert "a call prints" in str(json.loads(result.stdout)["reports"][1])
    assert "computing" in result.stderr


def test_exit_status(check, tmp_path):
    text = check("acme-bad", code=1).stdout
    assert "has no docstring" in text and "1 of 2 passed" in text
    assert "at least 90 are required" in check("acme-good", "--minimum", 90, code=2).stdout
    assert "nothing to check" in check("acme-good", "--only", "no/such", code=2).stdout
    assert "'acme-none'" in check("acme-none", code=2).stderr
    assert "regular expression" in check("acme-good", "--only", "(", code=2).stderr
    assert "pyproject.toml" in check(f"{tmp_path}/", code=2).stderr


def test_an_entry_point_that_names_no_class(check, fake_dist):
    source = "from opforge.plugin_api import OperatorProp\n"
    points = {"lost_of_check": "acme_lost:Lost"}
    fake_dist("acme-lost", operators=points, files={"acme_lost.py": source})
    text = " ".join(check("acme-lost", code=1).stdout.split())
    assert "names acme_lost:Lost, but module 'acme_lost' has no attribute 'Lost'" in text


def test_selection(check):
    found = json.loads(check("acme-good", "--json", "--only", "good_of_check/gradients").stdout)
    assert [row["subject"] for row in found["reports"]] == ["good_of_check"]


def test_a_project_and_a_file(check, tmp_path, monkeypatch):
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    source = (
        "from opforge.plugin_api import OperatorProp, hookimpl\n"
        "class Twice(OperatorProp):\n"
        "    '''Multiply by two.'''\n"
        "    name = 'twice_of_check'\n"
        "    def compose(self, F, data):\n"
        "        return data * 2\n"
        "@hookimpl\n"
        "def opforge_operators():\n"
        "    return [Twice]\n"
    )
    (project / "src" / "acme_twice.py").write_text(source)
    (project / "pyproject.toml").write_text(
        "[project]\nname = 'acme-twice'\n"
        "[project.entry-points.opforge]\ntwice = 'acme_twice'\n"
        "[project.entry-points.'opforge.ops']\ntwice_of_check = 'acme_twice:Twice'\n"
    )
    with isolated():
        assert "1 of 1 passed" in check(project / "src" / "acme_twice.py").stdout
    monkeypatch.setenv("OPFORGE_PLUGINS", "acme-twice")
    with isolated():
        found = json.loads(check(project, "--json").stdout)
        assert [row["subject"] for row in found["reports"]] == ["acme-twice", "twice_of_check"]
    sys.modules.pop("acme_twice")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nosuch.py", "the file 'nosuch.py' does not exist"),
        ("./nosuch", "the project './nosuch' does not exist"),
    ],
)
def test_missing_paths_are_rejected(check, target, words):
    result = check(target, code=2)
    assert words in result.stderr and "pip" not in result.stderr
