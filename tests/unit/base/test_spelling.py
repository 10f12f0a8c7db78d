"""Close names; no import is needed if none are requested."""

import subprocess
import sys

from opforge.base.spelling import close_names


def test_the_closest_come_first_and_strangers_not_at_all():
    assert close_names("tille", ["tiles", "tile", "dense"]) == ["tile", "tiles"]
    assert close_names("tile", ["dense"]) == []


def test_count_and_cutoff():
    known = [f"name{i}" for i in range(9)]
    assert len(close_names("name", known)) == 3
    assert len(close_names("name", known, count=1)) == 1
    assert close_names("name", known, cutoff=0.99) == []


def test_arrays_do_not_load_difflib():
    code = "import sys, opforge; opforge.nd.ones((2,)); assert 'difflib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
