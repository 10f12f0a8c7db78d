"""Scopes."""

import json

import pytest

from opforge import profiler


def test_names_are_put_together():
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    with profiler.scope("outer") as outer:
        with profiler.scope("inner:") as inner, profiler.scope("alone", False) as alone:
            pass
        with pytest.raises(KeyError), profiler.scope("fails"):
            raise KeyError
    with profiler.scope() as last:
        pass
    names = [outer, inner, alone, last]
    assert names == ["outer:", "outer:inner:", "alone:", "<unk>:"]
    found = json.loads(profiler.dumps(format="json"))["Time"]["scope"]
    assert set(found) == {*names, "outer:fails:"}
