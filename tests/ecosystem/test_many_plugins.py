"""Two hundred installed plugins cost nothing to a program that does not use them.

The tests count modules, calls and bytes read, which are the same on a slow machine.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PLUGINS = 200
SOURCE = '''"""A plugin that must not be imported."""
from opforge.plugin_api import Attribute, OperatorProp


class Operator(OperatorProp):
    """Do what number {number} does."""

    name = "crowd_{number}"
    axis = Attribute(int, default=-1, doc="An axis.")


raise RuntimeError("this plugin was imported")
'''
CALLS = """
import json, sys
import opforge
from opforge import nd
x = nd.ones((2, 3))
nd.softmax(x)
calls = hooks = 0
def count(frame, event, argument):
    global calls, hooks
    calls += event in ("call", "c_call")
    hooks += "pluggy" in frame.f_code.co_filename
sys.setprofile(count)
for _ in range(1000):
    nd.softmax(x)
sys.setprofile(None)
modules = sorted(name for name in sys.modules if "crowd" in name or name == "pluggy._hooks")
print(json.dumps([calls, modules, hooks, "importlib.metadata" in sys.modules]))
"""
ALONE = """
import sys
import opforge
opforge.nd.ones((2,))
print(*sorted(sys.modules))
"""
LISTING = "from opforge.cli import main; main()"
COUNTED = """
import sys
from opforge.cli import main
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
sys.setprofile(count)
try:
    main()
finally:
    sys.setprofile(None)
    print(calls)
"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory) -> Path:
    """Install two hundred plugins, each with an operator whose declaration can be read."""
    folder = tmp_path_factory.mktemp("crowd")
    for number in range(PLUGINS):
        module = f"crowd_{number}"
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: crowd-{number}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(
            f"[opforge]\n{module} = {module}\n[opforge.ops]\n{module} = {module}:Operator\n"
        )
        (folder / f"{module}.py").write_text(SOURCE.format(number=number))
    return folder


def run(code, *folders, arguments=()):
    """Run a program; return its output."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OPFORGE_")}
    clean.pop("PYTHONDONTWRITEBYTECODE", None)  # users have bytecode caches
    path = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**clean, "PYTHONPATH": path, "OPFORGE_CONFIG": os.devnull},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_import_and_an_array_load_the_same_modules(crowd):
    assert run(ALONE, crowd) == run(ALONE)


def test_calls_of_operators_are_the_same(crowd):
    without, with_crowd = (json.loads(run(CALLS, *folders)) for folders in ([], [crowd]))
    assert with_crowd == without
    assert with_crowd[1] == [], "a plugin of the crowd was loaded, or pluggy without hooks"
    assert with_crowd[2] == 0, "a call of an operator called a hook"


def test_listing_shows_all_and_costs_little_for_each(crowd):
    listed = json.loads(run(LISTING, crowd, arguments=["ops", "--json"]))
    rows = [row for row in listed if row["name"].startswith("crowd_")]
    assert len(rows) == PLUGINS
    assert all(row["doc"].startswith("Do what number") for row in rows)
    assert {row["state"] for row in rows} == {"not loaded"}
    alone = run(COUNTED, arguments=["ops"])
    crowded = run(COUNTED, crowd, arguments=["ops"])
    assert crowded.count("Do what number") == PLUGINS
    # 1,100 for each; comparing all with all takes 5,000 more.
    assert (calls_of(crowded) - calls_of(alone)) / PLUGINS < 2500


def test_listing_is_quick(crowd):
    """Limit the time that a user waits, relative to that of importing NumPy."""

    def seconds(*arguments):
        """Return the least processor time of three runs."""
        found = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run(*arguments, arguments=["ops"])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(found)

    # 0.4 s, NumPy 0.1 s; it was 1.0 s with rich, pydantic and whole syntax trees.
    assert seconds(LISTING, crowd) < 10 * seconds("import numpy")


def calls_of(printed: str) -> int:
    return int(printed.rsplit(maxsplit=1)[1])
