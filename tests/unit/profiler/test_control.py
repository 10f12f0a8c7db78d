"""The profiler's state, and when its file is written."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from opforge import nd, profiler
from opforge.base.errors import MXNetError
from opforge.native.threads import spans


def operators(path="profile.json"):
    events = json.loads(Path(path).read_text())["traceEvents"]
    return [event["name"] for event in events if event.get("cat") == "operator"]


def test_only_events_during_profiling_are_recorded():
    nd.ones((2,))
    profiler.set_state("run")
    nd.zeros((2,))
    profiler.pause()
    nd.exp(nd.ones((2,)))
    profiler.resume()
    nd.full((2,), 3)
    profiler.set_state("stop")
    nd.ones((2,))
    profiler.dump()
    assert operators() == ["_zeros", "_full"]


def test_a_pause_lasts_over_a_start():
    profiler.pause()
    profiler.set_state("run")
    nd.zeros((2,))
    profiler.resume()
    nd.full((2,), 3)
    profiler.dump()
    assert operators() == ["_full"]


def test_dumps_are_added_until_the_last():
    profiler.set_config(filename="here.json")
    profiler.set_state("run")
    nd.zeros((2,))
    profiler.dump(False)
    assert operators("here.json") == ["_zeros"]
    size = os.path.getsize("here.json")
    profiler.dump(False)
    assert os.path.getsize("here.json") == size
    nd.full((2,), 3)
    profiler.dump(False)
    assert operators("here.json") == ["_zeros", "_full"]
    nd.full((2,), 3)
    profiler.dump()
    assert operators("here.json") == ["_zeros", "_full", "_full"]
    nd.zeros((2,))  # it has stopped
    profiler.set_state("run")
    nd.full((2,), 3)
    profiler.dump()
    assert operators("here.json") == ["_full"]


def test_without_a_start_there_is_nothing_to_dump():
    with pytest.raises(MXNetError, match="Profiler hasn't been run"):
        profiler.dump()


def test_a_folder_that_is_not_there_loses_nothing():
    profiler.set_config(filename="nowhere/profile.json")
    profiler.set_state("run")
    nd.zeros((2,))
    with pytest.raises(FileNotFoundError):
        profiler.dump()
    os.mkdir("nowhere")
    profiler.dump()
    assert operators("nowhere/profile.json") == ["_zeros"]


def test_the_table_is_asked_for_by_a_setting():
    profiler.set_state("run")
    nd.zeros((2,))
    assert profiler.dumps() == ""
    profiler.set_config(aggregate_stats=True)
    assert re.search(r"^_zeros +1 ", profiler.dumps(reset=True), re.MULTILINE)
    assert profiler.dumps() == ""


def test_continuous_dumps_are_written_meanwhile():
    profiler.set_config(continuous_dump=True, dump_period=0.01)
    profiler.set_state("run")
    nd.zeros((2,))
    while not (os.path.exists("profile.json") and "_zeros" in Path("profile.json").read_text()):
        nd.full((2,), 3)
    profiler.dump()
    assert operators()[0] == "_zeros"


@pytest.mark.parametrize(
    "call",
    [
        lambda: profiler.set_state("go"),
        lambda: profiler.set_state("run", profile_process="server"),
        lambda: profiler.pause("server"),
        lambda: profiler.resume("server"),
        lambda: profiler.dump(profile_process="server"),
        lambda: profiler.dumps(format="text"),
        lambda: profiler.dumps(sort_by="name"),
    ],
)
def test_invalid_arguments_raise(call):
    with pytest.raises(MXNetError, match=r"expected|Support"):
        call()


PROGRAM = """
import os
from opforge import nd, profiler
profiler.set_state("run")
nd.zeros((2,))
if {forks}:
    child = os.fork()
    nd.full((2,), 3)
    if child == 0:
        profiler.set_config(filename="child.json")
        raise SystemExit
    os.waitpid(child, 0)
"""


@pytest.mark.parametrize("forks", [False, True])
def test_a_program_that_ends_has_its_trace(forks):
    subprocess.run([sys.executable, "-c", PROGRAM.format(forks=forks)], check=True)
    assert operators() == ["_zeros", "_full"][: 1 + forks]
    assert not os.path.exists("child.json")


def test_spans_are_watched_while_it_runs_alone():
    profiler.set_state("run")
    assert spans.watch(0) != 0
    profiler.set_state("stop")
    assert spans.watch(0) == 0
