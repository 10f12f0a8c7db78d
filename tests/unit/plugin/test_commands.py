"""Commands of plugins: found in metadata, resolved by name, imported when they are run."""

import sys

import pytest

from opforge import plugin
from opforge.base.errors import AmbiguousOperatorError, PluginError
from opforge.plugin import commands


@pytest.fixture
def one(with_plugins):
    with_plugins("fx-commands")
    return plugin.RESOLVER.states()["fx-commands"].provider


@pytest.fixture
def two(with_plugins):
    with_plugins("fx-commands", "fx-commands-rival")


def of_fixtures():
    return [c for c in commands.plugin_commands() if c.provider.key.startswith("fx-")]


def test_metadata_is_enough(one):
    names = [command.name for command in of_fixtures()]
    assert names == sorted(names)
    assert {"fx-greet", "fx-broken", "fx-group"} < set(names)
    assert not [name for name in sys.modules if name.startswith("fx_commands")]


def test_names_that_cannot_be_used(one):
    assert not {"ops", "fx-bad-name?"} & {command.name for command in of_fixtures()}
    assert commands.name_problems(one) == [
        "command 'fx-bad-name?': not a valid command name; rename it",
        "command 'ops': opforge has a command of this name, which takes precedence; rename it",
    ]
    assert commands.decide_command("ops").reason == "primitive set"
    assert commands.find_command("ops") is None


def test_a_plugin_of_commands_alone_is_loaded(one):
    plugin.RESOLVER.load("fx-commands")
    state = plugin.RESOLVER.states()["fx-commands"]
    assert (state.state, state.problems) == ("loaded", [])


def test_lines_of_help(one):
    lines = {command.name: command.help_line() for command in of_fixtures()}
    assert lines["fx-greet"] == "Greet a person by name."
    assert lines["fx-group"] == "Count up and down."
    assert lines["fx-broken"] == "Commands for tests"  # the summary of the distribution


def test_a_function_and_a_typer_are_loaded(one):
    for name in ("fx-greet", "fx-group"):
        command = commands.find_command(name)
        assert callable(commands.load_command(command))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("fx-broken", ["cannot be imported", "libgreet.so.2 is missing", "broken.py"]),
        ("fx-missing", ["cannot be imported", "has no attribute 'nothing'"]),
        ("fx-number", ["is 3, expected a function or a typer.Typer"]),
    ],
)
def test_load_errors_name_the_distribution(one, name, texts):
    with pytest.raises(PluginError, match=f"command '{name}' of fx-commands 1.0") as caught:
        commands.load_command(commands.find_command(name))
    assert all(text in str(caught.value) for text in texts)
    assert "opforge/plugin/" not in str(caught.value)


def test_interrupts_are_not_errors_of_the_command(one, monkeypatch):
    def interrupt(value):
        raise KeyboardInterrupt

    monkeypatch.setattr("opforge.plugin.commands.import_object", interrupt)
    monkeypatch.setattr("opforge.plugin.interrupts.was_raised_by_code", lambda error: False)
    with pytest.raises(KeyboardInterrupt):
        commands.load_command(commands.find_command("fx-greet"))


def test_two_distributions_with_one_name(two):
    with pytest.raises(AmbiguousOperatorError) as caught:
        commands.find_command("fx-greet")
    for text in (
        "fx-commands, fx-commands-rival",
        "opforge plugins pin fx-greet fx-commands",
        "OPFORGE_PIN=fx-greet=fx-commands",
        "opforge plugins disable fx-commands-rival",
    ):
        assert text in str(caught.value)


def test_pins(two, monkeypatch):
    monkeypatch.setenv("OPFORGE_PIN", "fx-greet=FX_commands_rival")
    assert commands.find_command("fx-greet").provider.name == "fx-commands-rival"
    monkeypatch.setenv("OPFORGE_PIN", "fx-greet=acme")
    with pytest.raises(PluginError, match=r"pinned to acme.*opforge plugins unpin fx-greet"):
        commands.find_command("fx-greet")
    monkeypatch.setenv("OPFORGE_PIN", "fx-none=acme")
    assert commands.find_command("fx-none") is None


def test_disabled_plugins(two, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fx-commands-rival")
    plugin.refresh()
    assert commands.find_command("fx-greet").provider.name == "fx-commands"
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    plugin.refresh()
    with pytest.raises(PluginError, match="provided by fx-commands, which is disabled by OPFORGE"):
        commands.find_command("fx-group")
