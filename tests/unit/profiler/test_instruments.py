"""A program's own domains, tasks, frames, events, counters and markers."""

import json

import pytest

from opforge import profiler
from opforge.base.errors import MXNetError


def counted():
    profiler.set_config(aggregate_stats=True)
    found = json.loads(profiler.dumps(format="json") or "{}")
    return {
        (category, name): row["Count"]
        for kind in ("Time", "Counter")
        for category, some in found.get(kind, {}).items()
        for name, row in some.items()
    }


def test_tasks_are_counted_while_the_profiler_runs():
    domain = profiler.Domain(name="domain")
    task, frame, event = domain.new_task("t"), domain.new_frame("f"), profiler.Event("e")
    for item in (task, frame, event):
        item.start()
        item.stop()
    assert counted() == {}
    profiler.set_state("run")
    for item in (task, frame, event):
        for _ in range(2):
            item.start()
            item.stop()
        item.stop()  # what was not started
    assert counted() == {("domain", "t"): 2, ("domain,frame", "f"): 2, ("event", "e"): 2}


def test_names():
    domain = profiler.Domain("domain")
    assert str(domain) == "domain"
    assert str(domain.new_task("t")) == str(profiler.Event("t")) == "t"
    assert str(domain.new_counter("c")) == "c"
    with pytest.raises(TypeError, match=r"profiler\.Domain: name is 3; expected a str"):
        profiler.Domain(3)


def test_counters_count_while_the_profiler_is_stopped():
    counter = profiler.Counter(profiler.Domain("domain"), "c", value=5)
    counter += 3
    counter -= 1
    counter.increment(2)
    counter.decrement()
    profiler.set_state("run")
    counter.increment()
    assert counted() == {("domain,counter", "c"): 1}
    assert '"Max": 9' in profiler.dumps(format="json")


def test_markers_have_scopes():
    marker = profiler.Marker(profiler.Domain("domain"), "m")
    with pytest.raises(MXNetError, match="Invalid Input: 'zzz', valid values are: 'global'"):
        marker.mark("zzz")
