"""The trace: what chrome://tracing and Perfetto need."""

import json
import os
import threading
from pathlib import Path

import pytest

from opforge import nd, profiler
from opforge.native.threads import spans
from opforge.profiler.trace import BASE


def trace(path="profile.json"):
    return json.loads(Path(path).read_text())


def of(name, path="profile.json"):
    return [event for event in trace(path)["traceEvents"] if event["name"] == name]


def test_an_operator_is_a_complete_event():
    profiler.set_state("run")
    for _ in range(3):
        nd.zeros((2,))
    profiler.dump()
    found = of("_zeros")
    assert [event["ph"] for event in found] == ["X"] * 3
    assert {event["pid"] for event in found} == {os.getpid()}
    assert {event["tid"] for event in found} == {threading.get_native_id()}
    ends = [event["ts"] + event["dur"] for event in found]
    starts = [event["ts"] for event in found]
    assert all(end <= start + 0.01 for end, start in zip(ends, starts[1:], strict=False))
    assert trace()[BASE] > 1.7e18
    assert trace()["displayTimeUnit"] == "ms"


def test_processes_and_threads_have_names():
    profiler.set_state("run")
    nd.zeros((2,))
    thread = threading.Thread(target=nd.zeros, args=((2,),), name='a "name"')
    thread.start()
    thread.join()
    profiler.dump(False)
    nd.zeros((2,))
    profiler.dump()
    rows = of("thread_name")
    names = [event["args"]["name"] for event in rows]
    assert names.count('a "name"') == 1
    assert names.count(threading.current_thread().name) == 1
    assert len({event["tid"] for event in rows}) == len(rows)  # workers may have equal names
    assert f"(pid {os.getpid()})" in of("process_name")[0]["args"]["name"]


def test_the_rank_is_in_the_name(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "3")
    profiler.set_config(filename="profile.{rank}.{pid}.json")
    profiler.set_state("run")
    profiler.dump()
    path = f"profile.3.{os.getpid()}.json"
    assert of("process_name", path)[0]["args"]["name"].startswith("rank 3: ")
    assert of("process_sort_index", path)[0]["args"] == {"sort_index": 3}


def test_memory_is_a_counter():
    profiler.set_state("run")
    x = nd.zeros((1000,))
    y = nd.ones((1000,))
    profiler.dump()
    values = [event["args"]["Memory: cpu/0"] for event in of("Memory: cpu/0")]
    assert values[1] - values[0] == 4000
    assert x.size == y.size


def test_memory_may_be_left_out():
    profiler.set_config(profile_memory=False)
    profiler.set_state("run")
    x = nd.zeros((1000,))
    profiler.dump()
    assert of("_zeros")
    assert not of("Memory: cpu/0")
    assert x.size == 1000


def test_own_objects():
    profiler.set_state("run")
    domain = profiler.Domain("mine")
    for _ in range(2):
        with domain.new_task("task"), domain.new_frame("frame"), profiler.Event("event"):
            pass
    domain.new_counter("counter", 4)
    for scope in ("global", "process", "thread", "task", "marker"):
        domain.new_marker("marker").mark(scope)
    profiler.dump()
    assert [event["ph"] for event in of("task")] == ["b", "e"] * 2
    assert len({event["id"] for event in of("task") + of("frame")}) == 4
    assert of("frame")[0]["cat"] == "mine,frame"
    assert [event["ph"] for event in of("event")] == ["X", "X"]
    assert of("counter")[0]["args"] == {"counter": 4}
    assert [event["s"] for event in of("marker")] == ["g", "p", "t", "t", "t"]


def test_lost_events_are_told(monkeypatch):
    profiler.set_state("run")
    nd.zeros((2,))
    taken = spans.take_records()
    monkeypatch.setattr(spans, "take_records", lambda: (3, *taken[1:]))
    profiler.dump()
    assert of("3 earlier events were lost; dump more often")
    assert of("_zeros")


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "é", ""])
def test_any_name_is_valid(name):
    profiler.set_state("run")
    profiler.Domain(name).new_counter(name, 1)
    profiler.dump()
    assert of(name)[0]["args"] == {name: 1}
