"""Measure how many small changes of first-party operators the battery detects.

Each row of tests/sabotage/mutants.json changes one line of a plugin's operators: a sign, a term,
an index, a limit, in Python or C. It is applied to a copy of the plugin, which is rebuilt if C
changed and checked by ``opforge check``. The exit status is 1 if fewer than 95 % are noticed.

    python scripts/operator_mutants.py [--jobs 2] [--only pooling]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "tests" / "sabotage" / "mutants.json"
#: Seconds for one check, and the smallest share of mutants to be detected.
PATIENCE, LEAST = 300, 0.95


def outcome(row: dict[str, Any]) -> str:
    """Return "survived", or how the change was noticed."""
    plugin = Path(row["file"]).parts[1]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, plugin)
        shutil.copytree(ROOT / "plugins" / plugin, copy)
        source = Path(folder, *Path(row["file"]).parts[1:])
        text = source.read_text(encoding="utf-8")
        if text.count(row["old"]) != 1:
            return "stale: the line does not occur exactly once"
        source.write_text(text.replace(row["old"], row["new"]), encoding="utf-8")
        if source.suffix != ".py" and not _is_built(copy):
            return "noticed by the compiler"
        return _check_plugin(plugin, copy)


def _is_built(copy: Path) -> bool:
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--force"]
    return subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0


def _check_plugin(plugin: str, copy: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    command = [sys.executable, "-m", "opforge", "check", plugin, "--json"]
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"noticed: timeout after {PATIENCE} s"
    if done.returncode == 0:
        return "survived"
    failed = [
        f"{report['subject']}/{check['check']}"
        for report in json.loads(done.stdout)["reports"]
        for check in report["checks"]
        if check["status"] == "failed"
    ]
    return f"noticed: {', '.join(failed[:3])}"


def main() -> int:
    """Try all rows; print the outcome of each, and the detection rate."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="mutants tried in parallel")
    parser.add_argument("--only", default="", help="substring of file names")
    options = parser.parse_args()
    rows = [row for row in json.loads(ROWS.read_text()) if options.only in row["file"]]
    noticed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for row, found in zip(rows, pool.map(outcome, rows), strict=True):
            noticed += found.startswith("noticed")
            print(f"{found:40} {row['file']}: {row['old'].strip()} -> {row['new'].strip()}")
            sys.stdout.flush()
    print(f"{noticed} of {len(rows)} were noticed ({noticed / max(len(rows), 1):.1%})")
    return int(noticed < LEAST * len(rows))


if __name__ == "__main__":
    sys.exit(main())
