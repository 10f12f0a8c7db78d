"""Tests of ``opforge doctor``, run as users run it."""

import json
import os
import subprocess
import sys
import time

import pytest


def test_findings_and_status(opforge):
    done = opforge("doctor", "--json", installed=["fx-kills", "fx-prints"], code=1)
    findings = [row for row in json.loads(done.stdout) if row["subject"].startswith("fx")]
    assert {row["subject"] for row in findings} == {"fx-kills", "fx-prints"}
    assert all(row["remedy"] for row in findings)
    assert "IMPORTED []" in done.stderr


@pytest.mark.plugins
def test_plugins_examine_the_machine(opforge):
    done = opforge("doctor", installed=["fx-tools"], code=1)
    text = " ".join(done.stdout.split())
    assert "fx-tools: the track is 400 m long fx-tools: the track is wet wait for the sun" in text
    assert "fx_tools:fail failed: RuntimeError: no barometer" in text
    wrong = json.loads(opforge("doctor", "--json", installed=["fx-tools"], code=1).stdout)
    messages = [row["message"] for row in wrong if row["subject"] == "fx-tools"]
    assert "the track is wet" in messages
    assert "the track is 400 m long" not in messages


def test_findings_come_at_once_and_a_plugin_that_hangs_is_named(tmp_path, monkeypatch):
    for name, body in (("prints", "print('hello')"), ("sleeps", "import time; time.sleep(60)")):
        info = tmp_path / f"fx_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fx-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[opforge]\n{name} = fx_{name}_module\n")
        (tmp_path / f"fx_{name}_module.py").write_text(body)
    command = [sys.executable, "-m", "opforge", "doctor", "--timeout", "3"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        lines = []
        for line in process.stdout:
            lines.append((time.monotonic() - start, line))
    text = "".join(line for _, line in lines)
    assert process.returncode == 1
    assert "fx-sleeps: fails to load: not loaded after 3 s" in " ".join(text.split())
    printed = next(seconds for seconds, line in lines if "prints during its import" in line)
    hanging = next(seconds for seconds, line in lines if line.startswith("fx-sleeps: fails"))
    assert hanging - printed > 1


def test_the_time_limit_is_a_number_of_seconds(opforge):
    assert "0.1" in opforge("doctor", "--timeout", "0", code=2).stderr
