"""The public names match the checked-in list, so that a new one is a visible decision."""

import difflib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_public_names_are_the_listed_ones():
    # A separate process: tests register operators, and `nd` grows with them.
    script = ROOT / "scripts" / "public_api.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = (ROOT / "tests/architecture/public_api.txt").read_text().splitlines()
    change = difflib.unified_diff(
        listed, done.stdout.splitlines(), "listed", "found", lineterm="", n=0
    )
    text = "\n".join(change)
    assert not text, f"{text}\nIf this is meant: python scripts/public_api.py --write"
