"""Two hundred installed plugins cost a program that does not use them nothing.

What can be counted is counted: modules, calls and bytes read are the same on a slow machine.
"""

import json
import os
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
    """Run a program; return what it prints and the processor seconds that it took."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OPFORGE_")}
    clean.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules
    path = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**clean, "PYTHONPATH": path, "OPFORGE_CONFIG": os.devnull},
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        printed = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, printed
    return printed, used.ru_utime + used.ru_stime


def test_import_and_an_array_load_the_same_modules(crowd):
    assert run(ALONE, crowd)[0] == run(ALONE)[0]


def test_calls_of_operators_are_the_same(crowd):
    without, with_crowd = (json.loads(run(CALLS, *folders)[0]) for folders in ([], [crowd]))
    assert with_crowd == without
    assert with_crowd[1] == ["pluggy._hooks"], "softmax's plugin was loaded, and no other"
    assert with_crowd[2] == 0, "a call of an operator called a hook"


def test_listing_shows_all_in_less_than_a_second(crowd):
    code = "from opforge.cli import main; main()"
    alone, crowded = [], []
    for _ in range(3):
        alone.append(run(code, arguments=["ops"])[1])
        printed, seconds = run(code, crowd, arguments=["ops"])
        crowded.append(seconds)
    assert printed.count("Do what number") == PLUGINS
    listed = json.loads(run(code, crowd, arguments=["ops", "--json"])[0])
    rows = [row for row in listed if row["name"].startswith("crowd_")]
    assert len(rows) == PLUGINS
    assert all(row["doc"].startswith("Do what number") for row in rows)
    assert {row["state"] for row in rows} == {"not loaded"}
    # On a quiet machine 0.6 s, of which the plugins take 0.2 and NumPy and typer most of the rest.
    assert min(crowded) - min(alone) < 0.6 * min(alone)
    # Where listing none takes longer than there, the machine is busy and a second means nothing.
    assert min(crowded) < 1 or min(alone) > 0.6
