"""Tests of ``opforge doctor``, run as a user runs it."""

import json


def test_findings_and_status(opforge):
    done = opforge("doctor", "--json", installed=["fx-kills", "fx-prints"], code=1)
    findings = [row for row in json.loads(done.stdout) if row["subject"].startswith("fx")]
    assert {row["subject"] for row in findings} == {"fx-kills", "fx-prints"}
    assert all(row["remedy"] for row in findings)
    assert "IMPORTED []" in done.stderr
