"""Cost of the profiler while it is on: no Python allocations and no Python functions."""

import json
from pathlib import Path

import pytest
from opforge_tools.benchmarks import libraries
from opforge_tools.benchmarks.cases import find

from opforge.native.threads import spans

NAMES = list(json.loads(Path(__file__).with_name("budgets.json").read_text())["cases"])


@pytest.fixture
def on():
    """Return a function that starts the profiler, which is stopped after the test."""
    yield lambda: spans.watch(sum(spans.names_of_watched().values()))
    spans.watch(0)
    spans.take_records()
    spans.clear_table()


@pytest.mark.parametrize("name", NAMES)
def test_a_call_asks_for_no_more(name, on, allocations, python_calls, pool_requests):
    run = libraries.prepare(find(name), "opforge", libraries.load("opforge"))
    allocations(run)  # allocations in the first hundred calls only
    on()
    found = allocations(run), python_calls(run), pool_requests(run)
    assert len(spans.take_records()[1]) > 0
    spans.watch(0)
    off = allocations(run), python_calls(run), pool_requests(run)
    assert round(found[0] - off[0]) <= 0
    assert found[1:] == off[1:]


def test_records_take_memory_that_is_bounded(on):
    mark = spans.site("test", "bounded", "marker")
    on()
    for _ in range(3):
        for number in range(400_000):
            mark.note(number)
    lost, *columns, _, _ = spans.take_records()
    assert len(columns[0]) == 1 << 20
    assert lost == 1_200_000 - (1 << 20)
