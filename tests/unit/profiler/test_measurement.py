"""Calls of a part of a program."""

import json

from opforge import gluon, nd, profiler, sym
from opforge.native.threads import spans
from opforge.profiler.measurement import Measurement
from opforge.profiler.timing import timed


def counts(calls):
    return {call.name: call.count for call in calls}


def test_only_calls_between_start_and_stop_count():
    x, measurement = nd.ones((2,)), Measurement()
    nd.exp(x)
    measurement.start()
    assert measurement.is_running
    with timed("Test", "both"):
        nd.exp(x)
        nd.exp(x)
    calls = measurement.stop()
    assert not measurement.is_running
    nd.exp(x)
    assert counts(calls) == {"exp": 2, "both": 1}
    (operator,) = [call for call in calls if call.name == "exp"]
    assert 0 < operator.own <= operator.total


def test_a_second_measurement_starts_from_zero():
    x, measurement = nd.ones((2,)), Measurement()
    for number in (1, 2):
        measurement.start()
        for _ in range(number):
            nd.exp(x)
        assert counts(measurement.stop()) == {"exp": number}


def test_a_running_profiler_keeps_its_table_and_state():
    x, measurement = nd.ones((2,)), Measurement()
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    nd.exp(x)
    measurement.start()
    nd.exp(x)
    assert counts(measurement.stop()) == {"exp": 1}
    nd.exp(x)
    table = json.loads(profiler.dumps(format="json"))["Time"]["operator"]
    assert table["exp"]["Count"] == 3


def test_an_idle_profiler_stays_idle_and_keeps_no_records():
    x, measurement = nd.ones((2,)), Measurement()
    measurement.start()
    nd.exp(x)
    measurement.stop()
    assert len(spans.take_records()[1]) == 0
    nd.exp(x)
    assert counts(_all()) == {"exp": 1}


def test_a_cleared_table():
    x, measurement = nd.ones((2,)), Measurement()
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    nd.exp(x)
    nd.exp(x)
    measurement.start()
    nd.exp(x)
    profiler.dumps(reset=True)
    nd.exp(x)
    assert counts(measurement.stop()) == {"exp": 1}


def _all():
    return Measurement().stop()


def test_operators_of_graphs_by_node():
    x = sym.var("x")
    block = gluon.SymbolBlock(sym.dot(sym.dot(x, x, name="first"), x, name="second"), x)
    block.hybridize()
    array, measurement = nd.ones((2, 2)), Measurement(by_node=True)
    block(array)
    measurement.start()
    block(array)
    calls = {(call.category, call.name) for call in measurement.stop()}
    assert calls == {("dot", "first"), ("dot", "second"), ("graph", "CachedOp")}
    measurement = Measurement()
    measurement.start()
    block(array)
    assert counts(measurement.stop())["dot"] == 2
