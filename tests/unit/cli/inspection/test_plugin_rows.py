"""Tests of the rows behind tables of plugins."""

import pytest

from opforge import plugin
from opforge.base.errors import PluginError
from opforge.cli.inspection.plugin_rows import (
    find_provider,
    plugin_details,
    plugin_rows,
    verify_rows,
)


def test_names(with_plugins):
    with_plugins("fx-good", "fx-rival")
    assert find_provider("FX_Good").name == "fx-good"
    assert find_provider("rival").name == "fx-rival"
    with pytest.raises(PluginError, match="did you mean fx-rival"):
        find_provider("fx-rivals")
    with pytest.raises(PluginError, match="always enabled"):
        find_provider("opforge")


def test_a_disabled_plugin_is_not_tried(with_plugins, monkeypatch):
    with_plugins("fx-kills")
    monkeypatch.setenv("OPFORGE_PLUGINS", "fx-none")
    plugin.refresh()
    (row,) = [row for row in plugin_rows(check=True) if row["plugin"] == "fx-kills"]
    assert (row["state"], row["error"]) == ("disabled", "")
    details = plugin_details("fx-kills", check=True)
    assert details["reason"] == "disabled by OPFORGE_PLUGINS=fx-none"


def test_a_failed_plugin_has_its_remedy(with_plugins):
    with_plugins("fx-syntax")
    row = plugin_details("fx-syntax", check=True)
    assert row["state"] == "failed"
    assert "opforge plugins disable fx-syntax" in row["remedy"]
    assert verify_rows("fx-syntax")[0]["state"] == "no record"


def test_commands(with_plugins):
    with_plugins("fx-commands")
    (row,) = [row for row in plugin_rows() if row["plugin"] == "fx-commands"]
    assert "fx-greet" in row["others"]["command"]
    assert [problem.partition(":")[0] for problem in row["problems"]] == [
        "command 'fx-bad-name?'",
        "command 'ops'",
    ]
