"""Tests of ``opforge plugins``, run as users run it, in a separate process."""

import json

from opforge.plugin.settings import settings_path


def rows_of(done, prefix="fx"):
    return [row for row in json.loads(done.stdout) if row["plugin"].startswith(prefix)]


def test_plugins(opforge):
    done = opforge("plugins", "--json", installed=["fx-good", "fx-syntax"])
    good, torn = rows_of(done)
    assert (good["state"], good["operators"][-1], good["problems"]) == (
        "not loaded",
        "fx_shift",
        [],
    )
    assert "SyntaxError" in torn["problems"][0]
    assert "IMPORTED []" in done.stderr


def test_plugins_check_shows_tracebacks(opforge):
    done = opforge("plugins", "--check", installed=["fx-good", "fx-import-error"], code=1)
    assert "libmissing.so.3 was not found" in done.stdout
    assert 'raise ImportError("libmissing.so.3 was not found")' in done.stdout


def test_disabled_plugins_are_shown_as_such(opforge, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    done = opforge("plugins", "--check", "--json", installed=["fx-kills"])
    assert rows_of(done)[0]["state"] == "disabled"


def test_show(opforge):
    done = opforge("plugins", "show", "good", "--check", "--json", installed=["fx-good"])
    row = json.loads(done.stdout)
    assert (row["plugin"], row["state"], row["unmet"]) == ("fx-good", "loaded", [])
    assert row["files"][0].endswith("fx_good.py")
    text = opforge("plugins", "show", "fx-versions", installed=["fx-versions"]).stdout
    assert "it requires opforge>=99, but opforge 0.1.0 is installed" in text
    missing = opforge("plugins", "show", "fx-god", installed=["fx-good"], code=1)
    assert "plugin 'fx-god' is not installed; did you mean fx-good" in missing.stderr


def test_why(opforge, monkeypatch):
    assert "fx-good is enabled" in opforge("plugins", "why", "good", installed=["fx-good"]).stdout
    assert "fx_shift: provided by fx-good, the only" in opforge(
        "plugins", "why", "fx_shift", installed=["fx-good"]
    ).stdout.replace("operator ", "")
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    row = json.loads(opforge("plugins", "why", "good", "--json", installed=["fx-good"]).stdout)
    assert row["remedy"] == "change OPFORGE_PLUGINS, which is 'none'"


def test_the_settings_are_kept_and_obeyed(opforge, monkeypatch, tmp_path):
    monkeypatch.setenv("OPFORGE_CONFIG", str(tmp_path / "new" / "opforge.toml"))
    two = ["fx-good", "fx-rival", "fx-kills"]
    opforge("plugins", "disable", "kills", installed=two)
    opforge("plugins", "pin", "fx_scale", "rival", installed=two)
    text = settings_path().read_text()
    assert text == '[plugins]\ndisabled = ["fx-kills"]\npins = {fx_scale = "fx-rival"}\n'
    checked = opforge("plugins", "list", "--check", "--json", installed=two)
    states = {row["plugin"]: row["state"] for row in rows_of(checked)}
    assert states == {"fx-good": "loaded", "fx-kills": "disabled", "fx-rival": "loaded"}
    why = json.loads(opforge("ops", "why", "fx_scale", "--json", installed=two).stdout)
    assert why[0]["provider"] == "fx-rival"
    opforge("plugins", "enable", "fx_kills", installed=two)
    opforge("plugins", "unpin", "fx_scale", installed=two)
    again = opforge("plugins", "unpin", "fx_scale", installed=two, code=1)
    assert "has no pin for 'fx_scale'" in again.stderr
    assert "disabled = []" in settings_path().read_text()


def test_built_in_operators_cannot_be_disabled(opforge):
    done = opforge("plugins", "disable", "opforge", code=1)
    assert "opforge itself is not a plugin" in done.stderr


def test_settings_that_cannot_be_understood(opforge, monkeypatch, tmp_path):
    path = tmp_path / "opforge.toml"
    path.write_text("[plugins]\ndisable = []\n")
    monkeypatch.setenv("OPFORGE_CONFIG", str(path))
    done = opforge("plugins", installed=["fx-good"], code=1)
    assert "unknown key 'disable'; did you mean disabled?" in done.stderr
    assert "Traceback" not in done.stderr


def test_verify(opforge):
    rows = rows_of(opforge("plugins", "verify", "good", "--json", installed=["fx-good"]))
    assert [(row["plugin"], row["state"]) for row in rows] == [("fx-good", "no record")]
    refused = opforge("plugins", "allow", "good", "--exactly", installed=["fx-good"], code=1)
    assert "fx-good is no record" in refused.stderr


def test_plugin_output_does_not_mix_with_json(opforge):
    done = opforge("plugins", "--check", "--json", installed=["fx-prints"])
    assert rows_of(done)[0]["printed"].startswith("Thank you")
