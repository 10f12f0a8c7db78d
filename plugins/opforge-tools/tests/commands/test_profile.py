"""Tests of ``opforge profile``, run as a user runs it."""

import json
import subprocess
import sys

import pytest
from opforge_tools.benchmarks import charts

MAIN = "from opforge.cli import main; main()"
SCRIPT = """
import sys
from opforge import nd, profiler
for _ in range(3):
    nd.zeros((2,))
print("arguments", sys.argv[1:])
if "raise" in sys.argv:
    raise KeyError("mine")
if "dump" in sys.argv:
    profiler.dump()
if "exit" in sys.argv:
    sys.exit(7)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path / "train.py"


def run(*words, code=0):
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "profile", *map(str, words)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    return done


def zeros(path):
    events = json.loads(path.read_text())["traceEvents"]
    return [event for event in events if event["name"] == "_zeros"]


def test_a_program_is_run_and_shown(script):
    done = run("train.py", "--rows", "2", "-m", "exit", code=7)
    assert "arguments ['--rows', '2', '-m', 'exit']" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.startswith("_zeros"))
    assert row.split()[1:3] == ["operator", "3"]
    assert "wrote profile.json" in done.stdout
    assert len(zeros(script.parent / "profile.json")) == 3
    has_picture = (script.parent / "profile.png").exists()
    assert has_picture is charts.can_draw()
    assert ("pip install matplotlib" in done.stdout) is not has_picture


def test_a_module_and_json(script):
    done = run("--json", "-o", "here.json", "-m", "train", "x")
    lines = done.stdout.splitlines()
    assert lines[0] == "arguments ['x']"
    found = json.loads("\n".join(lines[1:]))
    assert found["files"][0] == "here.json"
    counts = {row["name"]: row["count"] for row in found["rows"]}
    assert counts["_zeros"] == 3
    assert found["seconds"] > 0


def test_a_program_that_fails_is_shown_too(script):
    done = run("train.py", "raise", code=1)
    assert "_zeros" in done.stdout
    trace = done.stderr.splitlines()
    assert trace[0] == "Traceback (most recent call last):"
    assert "train.py" in trace[1]
    assert trace[-1] == "KeyError: 'mine'"


def test_a_program_that_dumps_by_itself(script):
    done = run("train.py", "dump")
    assert "the program wrote its own trace" in done.stdout
    assert len(zeros(script.parent / "profile.json")) == 3


def test_traces_are_merged(script, opforge):
    run("-o", "a.json", "train.py")
    for words in (["a.json", "a.json", "-o", "all.json"], ["-o", "b.json", "a.json"]):
        option = words[words.index("-o") + 1]
        assert option not in {path.name for path in script.parent.iterdir()}
        opforge("profile", "--merge", *words)
        assert len(zeros(script.parent / option)) == 3 * words.count("a.json")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "pass a program"),
        (["--sort", "name", "train.py"], "--sort is 'name', expected one of own"),
        (["nowhere.py"], "the file 'nowhere.py' does not exist"),
        (["--merge", "train.py"], "train.py is not a trace"),
    ],
)
def test_invalid_arguments_print_an_error(script, opforge, words, message):
    code = 2 if words[:1] in ([], ["--sort"]) else 1
    text = opforge("profile", *words, code=code).stderr
    assert message in " ".join(text.replace("│", " ").split())
