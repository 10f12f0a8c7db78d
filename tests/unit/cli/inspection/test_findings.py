"""Tests of the doctor's findings."""

import pytest

from opforge.cli.inspection.findings import find_all, of_trial
from opforge.cli.inspection.trial import trials

HEALTHY = {
    "state": "loaded",
    "error": "",
    "traceback": "",
    "problems": [],
    "seconds": 0.1,
    "printed": "",
    "examinations": [],
}


def found(tried=lambda names: ()):
    ours = [finding for finding in find_all(tried) if "opforge-" not in finding.subject]
    return {(finding.subject, finding.message): finding.remedy for finding in ours}


def matching(findings, subject, text):
    """Return the remedies of findings about a subject whose message contains a text."""
    return [remedy for (who, what), remedy in findings.items() if who == subject and text in what]


def test_each_plugin_with_its_remedy(with_plugins):
    with_plugins(
        "fx-good", "fx-rival", "fx-prints", "fx-drift", "fx-import-error", "fx-versions", "fx-kills"
    )
    findings = found(trials)
    for subject, text, remedy in (
        (
            "fx_scale",
            "ambiguous: provided by fx-good, fx-rival",
            "opforge plugins pin fx_scale fx-good",
        ),
        ("fx-prints", "prints during its import: 'Thank you", "pip install -U fx-prints"),
        ("fx-drift", "has no attribute 'Promised'", "pip install -U fx-drift"),
        ("fx-import-error", "ImportError: libmissing.so.3", "pip install -U fx-import-error"),
        ("fx-versions", "it requires opforge>=99", "pip install -U opforge"),
        ("fx-kills", "loading it ended the process with status 9", "opforge plugins disable"),
        ("fx-good", "has no RECORD", "pip install --force-reinstall --no-deps fx-good==1.0"),
    ):
        (line,) = matching(findings, subject, text)
        assert remedy in line


def test_pins_and_names_of_entry_points(with_plugins, monkeypatch):
    with_plugins("fx-good", "fx-rival")
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-none,exp=fx-none")
    findings = found()
    assert matching(findings, "fx_scale", "pins it to fx-none") == ["change OPFORGE_PIN"]
    assert matching(findings, "exp", "pins it to fx-none") == ["change OPFORGE_PIN"]


def test_settings_that_cannot_be_read_end_it(with_plugins, monkeypatch, tmp_path):
    with_plugins("fx-good")
    monkeypatch.setenv("OPFORGE_CONFIG", str(tmp_path / "none.toml"))
    from opforge import plugin

    monkeypatch.setattr(plugin.RESOLVER, "_settings", None)
    monkeypatch.setattr(plugin.RESOLVER, "_states", None)
    assert matching(found(), "settings", "does not exist")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"state": "failed", "error": "ValueError: x"}, "fails to load: ValueError: x"),
        ({"seconds": 2.34}, "takes 2.3 s to load"),
        ({"printed": "hello\nyou"}, "prints during its import: 'hello'"),
        ({"problems": ["drift"]}, "drift"),
    ],
)
def test_trials(changed, message):
    (finding,) = of_trial("acme", {**HEALTHY, **changed})
    assert (finding.subject, finding.message) == ("acme", message)
    assert "acme" in finding.remedy


def test_a_healthy_one():
    assert list(of_trial("acme", HEALTHY)) == []


def test_commands(with_plugins, monkeypatch):
    with_plugins("fx-commands", "fx-commands-rival")
    findings = found(trials)
    (line,) = matching(
        findings, "fx-greet", "ambiguous: provided by fx-commands, fx-commands-rival"
    )
    assert "opforge plugins pin fx-greet fx-commands" in line
    for text in ("command 'ops': opforge has a command", "command 'fx-bad-name?': not a valid"):
        assert matching(findings, "fx-commands", text)
    for text in (
        "command 'fx-broken' cannot be imported: ImportError: libgreet.so.2",
        "command 'fx-missing' cannot be imported: AttributeError",
        "command 'fx-number' of fx-commands 1.0: fx_commands_package.group:NUMBER is 3",
    ):
        (line,) = matching(findings, "fx-commands", text)
        assert "opforge plugins disable fx-commands" in line
    monkeypatch.setenv("OPFORGE_PIN", "fx-greet=fx-commands")
    with_plugins("fx-commands", "fx-commands-rival")
    assert not matching(found(), "fx-greet", "")
