"""Spans: timed calls, their number and their threads."""

import gc
import operator
import threading

import numpy as np
import pytest

from opforge import autograd, engine, gluon, nd
from opforge.native.threads import spans

WATCHED = spans.names_of_watched()


@pytest.fixture
def watching():
    """Watch everything for a test; nothing is left behind."""
    gc.collect()  # arrays that others have left behind do not go while memory is counted
    spans.clear_table()
    spans.take_records()
    spans.watch(sum(WATCHED.values()))
    yield
    spans.watch(0)
    spans.clear_table()
    spans.take_records()


def counts(category="operator"):
    return {row[0].name: row[1] for row in spans.table() if row[0].category == category}


def names_taken():
    _, _, _, places, _, _, sites, _ = spans.take_records()
    return [sites[place].name for place in places]


def test_nothing_is_recorded_when_not_watching():
    before = [row[:2] for row in spans.table()]
    nd.ones((3,)) + 1
    assert [row[:2] for row in spans.table()] == before
    assert len(spans.take_records()[1]) == 0


def test_calls_have_the_names_of_operators(watching):
    x = nd.ones((3,))
    y = x + x * 2 - 1
    y = 3 - y
    y += x
    y /= 2
    operator.neg(y)
    abs(y)
    operator.eq(x, y)
    nd.exp(y)
    assert counts() == {
        "_ones": 1,
        "_mul_scalar": 1,
        "broadcast_add": 2,
        "_minus_scalar": 1,
        "_rminus_scalar": 1,
        "_div_scalar": 1,
        "negative": 1,
        "abs": 1,
        "broadcast_equal": 1,
        "exp": 1,
    }
    assert names_taken()[:2] == ["_ones", "_mul_scalar"]


@pytest.mark.plugins
def test_kinds_are_watched_separately(watching):
    net = gluon.nn.Dense(2)
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 3))
    net(x)
    for kind, expected in (("graphs", {"FullyConnected"}), ("calls", {"exp"}), ("memory", set())):
        spans.watch(WATCHED[kind])
        spans.clear_table()
        nd.exp(net(x))
        assert set(counts()) == expected


def test_gradients_are_spans(watching):
    x = nd.ones((3,))
    x.attach_grad()
    with autograd.record():
        y = (x * 2).sum() + nd.exp(x)[1]
    y.backward()
    found = counts()
    assert found["_backward_mul_scalar"] == found["_backward_sum"] == found["_backward_exp"] == 1
    assert counts("autograd") == {"backward": 1}


@pytest.mark.plugins
def test_operators_of_a_compiled_graph_are_nested_spans(watching):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(4, activation="relu"), gluon.nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = nd.ones((2, 3))
    with autograd.record():
        y = net(x)
    spans.clear_table()
    with autograd.record():
        y = net(x)
    y.backward()
    assert counts()["FullyConnected"] == 2
    assert counts("graph") == {"CachedOp": 1, "_backward_CachedOp": 1}
    whole = next(row for row in spans.table() if row[0].name == "CachedOp")
    parts = [row for row in spans.table() if row[0].name == "FullyConnected"]
    assert whole[2] >= parts[0][2]
    assert whole[5] <= whole[2] - parts[0][2] + 1e-3


def test_stopwatches_add_no_time(watching):
    task = spans.site("test", "outer")
    spans.Stopwatch(task).start()  # is forgotten
    with spans.Stopwatch(task):
        nd.exp(nd.ones((1000,)))
    row = next(row for row in spans.table() if row[0] is task)
    assert row[1] == 1
    assert row[2] > row[5] == 0  # whose time that is, the operators say


def test_exceptions_end_spans(watching):
    x = nd.ones((2, 3))
    for _ in range(3):
        with pytest.raises(ValueError, match="shapes"):
            nd.elemwise_add(x, nd.ones((4,)))
        with pytest.raises(ValueError, match="broadcast"):
            x + nd.ones((4,))
    assert counts()["elemwise_add"] == 3
    nd.exp(x)
    row = next(row for row in spans.table() if row[0].name == "exp")
    assert row[5] == row[2]  # nothing of the former is left around it


def test_tasks_are_timed_on_their_own_thread(watching):
    def work():
        nd.exp(nd.ones((3,)))

    engine.push(work)
    engine.waitall()
    found = counts("engine")
    assert list(found.values()) == [1]
    assert "work" in next(iter(found))
    _, _, _, places, numbers, _, sites, threads = spans.take_records()
    by_name = {sites[place].name: number for place, number in zip(places, numbers, strict=True)}
    assert threads[by_name["exp"]][0] != threading.get_native_id()


def test_threads_are_named(watching):
    def work():
        nd.ones((3,))

    thread = threading.Thread(target=work, name="the other one")
    thread.start()
    thread.join()
    nd.ones((3,))
    *_, numbers, _, _, threads = spans.take_records()
    found = {threads[number][1] for number in numbers}
    assert "the other one" in found
    assert threading.current_thread().name in found


def test_memory_is_that_of_the_result(watching):
    x = nd.ones((1000,))
    spans.clear_table()
    y = nd.exp(x)
    row = next(row for row in spans.table() if row[0].name == "exp")
    assert row[6] == y.size * 4


def test_records_are_in_the_order_of_their_ends(watching):
    before = nd.ones((3,))
    for _ in range(10):
        before = before + 1
    _, begins, lengths, *_ = spans.take_records()
    ends = begins + lengths
    assert len(begins) == 11
    assert (np.diff(begins) >= 0).all()
    assert (np.diff(ends) >= 0).all()


def test_newest_records_are_kept(watching):
    mark = spans.site("test", "mark", "marker")
    total = (1 << 20) + 5
    for number in range(total):
        mark.note(number)
    lost, *_, values, _, _ = spans.take_records()
    assert (lost, len(values)) == (5, 1 << 20)
    assert (values[0], values[-1]) == (5, total - 1)
    assert next(row for row in spans.table() if row[0] is mark)[1] == total


def test_taken_records_are_cleared(watching):
    nd.ones((3,))
    assert len(spans.take_records()[1]) == 1
    assert len(spans.take_records()[1]) == 0


def test_sites_are_unique():
    assert spans.site("a", "b") is spans.site("a", "b")
    assert spans.site("a", "b") is not spans.site("a", "b", "task")
