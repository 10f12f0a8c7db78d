"""Tests of explanations."""

import pytest

from opforge.cli.inspection.explanation import explain_name
from opforge.cli.reference.rows import import_core


@pytest.fixture(autouse=True)
def core():
    import_core()


@pytest.mark.parametrize(
    ("name", "reason", "text", "remedy"),
    [
        ("fx_shift", "only provider", "provided by fx-good, the only", ""),
        ("fx_scale", "ambiguous", "provided by fx-good, fx-rival", "opforge plugins pin fx_scale"),
        ("fx-rival::fx_scale", "full name", "provided by fx-rival, which the full name", ""),
        (
            "nobody::fx_scale",
            "not a provider",
            "provided by fx-good, fx-rival",
            "pip install nobody",
        ),
        ("exp", "primitive set", "part of the primitive set", ""),
        (
            "fx_nothing",
            "not installed",
            "not provided by any installed plugin",
            "opforge ops search fx_nothing",
        ),
    ],
)
def test_reasons(with_plugins, name, reason, text, remedy):
    with_plugins("fx-good", "fx-rival")
    row = explain_name(name)[0]
    assert (row["kind"], row["reason"]) == ("operator", reason)
    assert text in row["text"]
    assert row["remedy"].startswith(remedy)
    assert bool(row["remedy"]) is bool(remedy)


def test_a_layer_has_a_row_of_its_own(with_plugins):
    with_plugins("fx-good")
    assert [row["kind"] for row in explain_name("FxLayer")] == ["layer"]


def test_a_preference(with_plugins):
    import opforge

    with_plugins("fx-good", "fx-rival")
    with opforge.prefer("fx-rival"):
        assert "which is preferred here" in explain_name("fx_scale")[0]["text"]


@pytest.mark.parametrize(
    ("name", "reason", "text", "remedy"),
    [
        ("fx-group", "only provider", "provided by fx-commands, the only", ""),
        ("fx-greet", "ambiguous", "fx-commands, fx-commands-rival", "opforge plugins pin fx-greet"),
        ("ops", "primitive set", "plugins cannot replace; that of fx-commands is ignored", ""),
    ],
)
def test_commands(with_plugins, name, reason, text, remedy):
    with_plugins("fx-commands", "fx-commands-rival")
    (row,) = explain_name(name)
    assert (row["kind"], row["reason"]) == ("command", reason)
    assert text in row["text"]
    assert row["remedy"].startswith(remedy) and bool(row["remedy"]) is bool(remedy)


def test_a_command_of_a_disabled_plugin(with_plugins, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fx-commands")
    with_plugins("fx-commands")
    (row,) = explain_name("fx-group")
    assert row["disabled"] == ["fx-commands"]
    assert "disabled by OPFORGE_PLUGINS" in row["text"]
