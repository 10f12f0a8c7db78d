"""Commands of a third-party plugin, in a separate environment."""

import json

import pytest

pytestmark = pytest.mark.slow

PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "acme-tally"
version = "1.0"
[project.entry-points."opforge.commands"]
tally = "acme_tally:tally"
[tool.setuptools]
py-modules = ["acme_tally"]
"""
MODULE = '''\
"""Count words."""
import typer


def tally(words: list[str]) -> None:
    """Count words, for instance those of a title."""
    typer.echo(f"{len(words)} words")
'''


@pytest.fixture(scope="module")
def tallying(tmp_path_factory, environment, build_wheel, wheels):
    source = tmp_path_factory.mktemp("acme-tally")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "acme_tally.py").write_text(MODULE)
    return environment(wheels["opforge"], build_wheel(source, source / "wheel"))


def test_a_command_is_listed_and_run(tallying):
    text = tallying.run("opforge", "--help").stdout
    assert "─ acme-tally ─" in text
    assert "Count words, for instance those of a title." in text
    assert tallying.run("opforge", "tally", "one", "two").stdout == "2 words\n"
    missing = tallying.run("opforge", "tally", code=2)
    assert "Missing argument" in missing.stderr


def test_listing_imports_nothing_of_it(tallying):
    source = (
        "import sys\nfrom opforge.cli import main\nsys.argv = ['opforge', '--help']\n"
        "try:\n    main()\nfinally:\n    print('LOADED', 'acme_tally' in sys.modules)\n"
    )
    assert "LOADED False" in tallying.python(source)


def test_the_plugin_is_one_like_others(tallying):
    (row,) = json.loads(tallying.run("opforge", "plugins", "--json", "--check").stdout)
    assert (row["plugin"], row["state"], row["problems"]) == ("acme-tally", "loaded", [])
    assert row["others"] == {"command": ["tally"]}
    assert tallying.faults() == []
    assert "acme-tally" in tallying.run("opforge", "ops", "why", "tally").stdout
    disabled = tallying.run("opforge", "tally", "one", code=1, OPFORGE_PLUGINS="none")
    assert "acme-tally, which is disabled by OPFORGE_PLUGINS=none" in disabled.stderr
