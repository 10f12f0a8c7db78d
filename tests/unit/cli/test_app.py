"""Tests of all commands together."""

import json
import re
import subprocess
import sys

import pytest
import typer

from opforge.base.version import VERSION
from opforge.cli.app import app
from opforge.op.registry.catalogue import first_party

CODE = """
import sys
from opforge.cli import main
sys.argv = ["opforge", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print("LOADED", [name for name in {names!r} if name in sys.modules])
"""


@pytest.mark.plugins  # check and bench are commands of opforge-tools
def test_help_names_every_command(opforge):
    text = opforge("--help").stdout
    for command in ("ops", "plugins", "doctor", "check", "model", "bench", "profile"):
        assert f" {command} " in text


def test_help_has_the_first_line_of_each_command(opforge):
    group = typer.main.get_group(app)
    names = group.list_commands(None)
    assert names
    for name in names:
        line = group.get_command(None, name).help
        own = " ".join(opforge(name, "--help").stdout.replace("│", " ").split())
        assert line.replace("`", "") in own


def test_the_bare_command_suggests_first_steps(opforge):
    text = opforge(code=2).stdout
    for command in ("opforge ops", "opforge ops show softmax", "opforge new", "opforge doctor"):
        assert command in text


def test_version(opforge):
    assert opforge("--version").stdout == f"opforge {VERSION}\n"


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("ops",),
        ("ops", "show"),
        ("plugins",),
        pytest.param(("check",), marks=pytest.mark.plugins),
    ],
)
def test_help_shows_flags_without_a_type(opforge, command):
    text = opforge(*command, "--help").stdout
    assert "--help" in text
    assert "<bool>" not in text


def test_shells_complete_commands(opforge, monkeypatch):
    monkeypatch.setenv("_OPFORGE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "opforge pl")
    assert "plugins" in opforge().stdout


#: Modules that listings must not import.
HEAVY = ["numpy", "packaging", "pluggy", "tomlkit", "tomllib", "opforge_tools", "opforge.std"]
#: Modules that typer would import to convert text to text, and to draw tables of help.
SLOW = ["pydantic", "rich"]


@pytest.mark.parametrize(
    "arguments",
    [["ops"], ["ops", "--json", "--all"], ["ops", "search", "exp"], ["plugins"], ["--help"], []],
)
def test_listing_commands_import_few_modules(monkeypatch, tmp_path, arguments):
    monkeypatch.delenv("OPFORGE_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    # typer's help and its lists of words need more.
    has_none = arguments and arguments[0] != "--help" and "search" not in arguments
    code = CODE.format(arguments=arguments, names=HEAVY + SLOW * bool(has_none))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("LOADED []\n")


def test_the_version_needs_no_tables_either():
    code = CODE.format(arguments=["--version"], names=[*HEAVY, *SLOW])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"opforge {VERSION}\nLOADED []\n"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("op", " Did you mean opforge ops?"),
        ("plan", "Did you mean opforge plugins plan"),
        ("serch", "Did you mean opforge ops search"),
        ("xyzzy", "No such command 'xyzzy'."),
    ],
)
def test_unknown_commands_are_mistakes(opforge, typed, meant):
    text = " ".join(opforge(typed, code=2).stderr.replace("│", " ").split())
    assert "No such command" in text
    assert meant in f" {text}"
    assert ("Did you mean" in text) == ("Did you mean" in meant)


@pytest.mark.parametrize(
    "command",
    [
        ("ops",),
        ("plugins", "show", "acme"),
        ("check", "acme"),
        ("stubs", "--output", "x"),
        ("docs",),
        ("catalogue", "build", "x"),
    ],
    ids=" ".join,
)
def test_settings_that_cannot_be_read_are_an_error_without_a_traceback(
    opforge, monkeypatch, tmp_path, command
):
    monkeypatch.setenv("OPFORGE_CONFIG", str(tmp_path / "missing.toml"))
    monkeypatch.chdir(tmp_path)
    done = opforge(*command, code=1)
    assert "missing.toml, which does not exist; create it" in done.stderr


def test_plugins_are_switched_off_for_one_command(opforge, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    command = ("--plugins", "-fx-kills", "plugins", "--json")
    rows = json.loads(opforge(*command, installed=["fx-kills", "fx-good"]).stdout)
    states = {row["plugin"]: row["state"] for row in rows}
    assert states["fx-kills"] == "disabled"
    assert states["fx-good"] == "not loaded"


def panels(text):
    """Return the boxes of a help text: title -> text."""
    parts = re.split(r"╭─ (.*?) ─+╮", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_help_lists_commands_of_plugins_by_distribution(opforge):
    done = opforge("--help", installed=["fx-commands"])
    boxes = panels(done.stdout)
    titles = list(boxes)
    assert titles.index("Commands") < titles.index("fx-commands")
    assert "fx-greet    Greet a person by name." in re.sub("  +", "    ", boxes["fx-commands"])
    assert "│ ops " not in boxes["fx-commands"]
    assert done.stderr.endswith("IMPORTED []\n")


def test_help_of_a_name_that_two_distributions_have(opforge, monkeypatch):
    both = ["fx-commands", "fx-commands-rival"]
    boxes = panels(opforge("--help", installed=both).stdout)
    assert "opforge plugins pin fx-greet" in boxes["fx-commands, fx-commands-rival"]
    monkeypatch.setenv("OPFORGE_PIN", "fx-greet=fx-commands-rival")
    assert (
        "Another greeting" in panels(opforge("--help", installed=both).stdout)["fx-commands-rival"]
    )


def test_help_without_readable_settings_lists_the_core(opforge, monkeypatch, tmp_path):
    def help_text():
        done = opforge("--help", installed=["fx-commands"])
        return done.stdout, " ".join(done.stderr.split())

    monkeypatch.setenv("OPFORGE_CONFIG", str(tmp_path / "missing.toml"))
    text, warning = help_text()
    assert " ops " in text and "fx-greet" not in text
    assert "commands of plugins are not available: " in warning and "missing.toml" in warning


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["fx-greet", "Ada", "--loud"], "HELLO Ada"),
        (["fx-group", "up", "3"], "0 1 2"),
        (["fx-program", "ls", "-l", "--json"], "ls|-l|--json"),
        (["fx-group", "--help"], "Usage: opforge fx-group [OPTIONS] COMMAND"),
    ],
)
def test_commands_of_plugins_run(opforge, arguments, expected):
    text = opforge(*arguments, installed=["fx-commands"]).stdout
    assert expected in text
    assert "--install-completion" not in text


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["fx-greet", "nobody"], 1, "fx-greet: got nobody, expected a name"),
        (["fx-broken"], 1, "command 'fx-broken' of fx-commands 1.0 cannot be imported"),
        (["fx-untypable"], 1, "command 'fx-untypable' of fx-commands 1.0: typer cannot create"),
        (["--plugins", "none", "fx-greet", "Ada"], 1, "which is disabled by OPFORGE_PLUGINS=none"),
        (["fx-gret"], 2, "Did you mean opforge fx-greet"),
    ],
)
def test_mistakes_of_plugins_are_errors_without_our_traceback(
    opforge, monkeypatch, arguments, code, expected
):
    monkeypatch.setenv("OPFORGE_PLUGINS", "")  # and is restored
    text = opforge(*arguments, installed=["fx-commands"], code=code).stderr
    assert expected in " ".join(text.replace("│", " ").split())
    assert "opforge/cli" not in text


def test_a_command_that_is_not_installed_names_its_distribution(opforge, monkeypatch):
    monkeypatch.setitem(first_party("command"), "fx-absent", "opforge-absent")
    text = opforge("fx-absent", code=1).stderr
    assert "no installed plugin provides the command 'fx-absent'\n" in text
    assert "opforge-absent provides it: pip install opforge-absent\n" in text
    monkeypatch.setenv("_OPFORGE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "opforge fx-absent ")
    assert "pip install" not in opforge().stdout


def test_shells_complete_commands_of_plugins(opforge, monkeypatch):
    monkeypatch.setenv("_OPFORGE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "opforge fx-")
    done = opforge(installed=["fx-commands"])
    assert '"fx-greet":"Greet a person by name."' in done.stdout
    assert done.stderr.endswith("IMPORTED []\n")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "opforge fx-greet --l")
    assert '"--loud"' in opforge(installed=["fx-commands"]).stdout


@pytest.mark.parametrize("name", ["fx-broken", "fx-greet"])
def test_completion_shows_no_errors(opforge, monkeypatch, name):
    monkeypatch.setenv("_OPFORGE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"opforge {name} ")
    done = opforge(installed=["fx-commands", "fx-commands-rival"])
    assert "Traceback" not in done.stdout + done.stderr
    assert "cannot be imported" not in done.stdout + done.stderr
