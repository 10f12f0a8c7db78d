"""Tests of ``opforge doctor``, run as a user runs it."""

import json


def test_findings_and_status(opforge):
    done = opforge("doctor", "--json", installed=["fx-kills", "fx-prints"], code=1)
    findings = [row for row in json.loads(done.stdout) if row["subject"].startswith("fx")]
    assert {row["subject"] for row in findings} == {"fx-kills", "fx-prints"}
    assert all(row["remedy"] for row in findings)
    assert "IMPORTED []" in done.stderr


def test_plugins_examine_the_machine(opforge):
    done = opforge("doctor", installed=["fx-tools"], code=1)
    text = " ".join(done.stdout.split())
    assert "fx-tools: the track is 400 m long fx-tools: the track is wet wait for the sun" in text
    assert "fx_tools:fail fails: RuntimeError: no barometer" in text
    wrong = json.loads(opforge("doctor", "--json", installed=["fx-tools"], code=1).stdout)
    messages = [row["message"] for row in wrong if row["subject"] == "fx-tools"]
    assert "the track is wet" in messages
    assert "the track is 400 m long" not in messages
