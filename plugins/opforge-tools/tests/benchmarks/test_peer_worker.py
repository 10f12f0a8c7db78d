"""The process of another library: it needs nothing of opforge, and leaves no path behind."""

import json
import subprocess
import sys
from pathlib import Path

import opforge_tools.benchmarks

WORKER = Path(opforge_tools.benchmarks.__file__).with_name("peer_worker.py")
LIBRARY = """
class nd:
    waitall = staticmethod(lambda: None)
"""
CASES = """
import sys

def prepare(mx, folder):
    assert not any(path.endswith("opforge/benchmarks") for path in sys.path), sys.path
    assert mx.__name__ == "other" and (folder / "given").exists() and "opforge" not in sys.modules
    print("what a case prints is no answer")
    return lambda: None

CASES = {"fine": {"prepare": prepare}}
"""


def test_a_case_is_prepared_and_timed(tmp_path):
    (tmp_path / "other.py").write_text(LIBRARY)
    (tmp_path / "cases.py").write_text(CASES)
    (tmp_path / "given").touch()
    requests = [
        {"do": "prepare", "name": "fine"},
        {"do": "round", "seconds": 0},
        {"do": "prepare", "name": "missing"},
    ]
    done = subprocess.run(
        [sys.executable, WORKER, tmp_path / "cases.py", "other", tmp_path],
        input="".join(json.dumps(each) + "\n" for each in requests),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    prepared, timed, missing = map(json.loads, done.stdout.splitlines())
    assert prepared == {}, done.stderr
    assert len(timed["samples"]) == 1
    assert missing["kind"] == "KeyError"
