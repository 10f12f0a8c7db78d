"""The engine's public interface: pushed tasks that write arrays, bulk sizes, threads."""

import threading

import numpy as np
import pytest

import opforge as mx
from opforge import engine, nd

WAIT = 10  # seconds after which a test that hangs fails


@pytest.fixture
def gate():
    """Return an event that tasks wait for; it is set at the end in any case."""
    event = threading.Event()
    yield event
    event.set()
    engine.waitall()


def wait(event):
    assert event.wait(WAIT)


def test_reading_an_array_waits_for_the_task_that_writes_it(gate):
    x = nd.zeros((3,))

    def task():
        wait(gate)
        x[:] = 5

    engine.push(task, write=[x])
    threading.Timer(0.02, gate.set).start()
    assert x.asnumpy().tolist() == [5, 5, 5]


@pytest.mark.parametrize(
    "read",
    [
        lambda x: (x + 1).asnumpy()[0],
        lambda x: nd.sum(x).asscalar() - 9,
        lambda x: x[1:].asnumpy()[0] + 1,
        lambda x: nd.concat(x, x, dim=0).asnumpy()[-1] + 1,
        lambda x: float(x[0]) + 1,
        lambda x: x.copy().asnumpy()[0] + 1,
    ],
)
def test_every_way_to_read_waits(gate, read):
    x = nd.zeros((3,))

    def task():
        wait(gate)
        x[:] = 5

    engine.push(task, write=[x])
    threading.Timer(0.01, gate.set).start()
    assert read(x) == 6


def test_a_view_waits_for_the_task_of_its_memory(gate):
    x = nd.zeros((4,))
    window = x[1:3]
    engine.push(lambda: (wait(gate), x.__setitem__(slice(None), 7)), write=[x])
    threading.Timer(0.01, gate.set).start()
    assert window.asnumpy().tolist() == [7, 7]


def test_writing_an_array_waits_for_its_readers(gate):
    x, seen = nd.ones((2,)), []

    def task():
        wait(gate)
        seen.append(x.asnumpy().tolist())

    engine.push(task, read=[x])
    threading.Timer(0.01, gate.set).start()
    x += 1
    assert seen == [[1, 1]]
    assert x.asnumpy().tolist() == [2, 2]


def test_tasks_on_one_array_run_in_order():
    x = nd.ones((2,))

    def double():
        x[:] = x * 2

    def add():
        x[:] = x + 1

    for _ in range(5):
        engine.push(double, write=[x])
        engine.push(add, write=[x])
    assert x.asnumpy().tolist() == [63, 63]


@pytest.mark.keeps_memory  # the traceback of the kept exception holds the arrays
def test_a_failed_task_raises_at_every_read_and_leaves_other_arrays_alone():
    x, other = nd.zeros((2,)), nd.ones((2,))

    def fail():
        raise KeyError("the task's own")

    engine.push(fail, write=[x])
    for read in (x.asnumpy, x.wait_to_read, lambda: x + 1, lambda: nd.sum(x), x.asnumpy):
        with pytest.raises(KeyError, match="the task's own"):
            read()
    assert (other + 1).asnumpy().tolist() == [2, 2]
    engine.waitall()  # it was raised before


@pytest.mark.keeps_memory  # the traceback of the kept exception holds the arrays
def test_dependents_of_a_failed_task_raise_its_exception():
    x, y = nd.zeros((2,)), nd.zeros((2,))
    ran = []

    def fail():
        raise KeyError("the task's own")

    engine.push(fail, write=[x])
    engine.push(lambda: ran.append(1), read=[x], write=[y])
    for _ in range(2):
        with pytest.raises(KeyError, match="the task's own"):
            y.asnumpy()
    assert not ran
    with pytest.raises(KeyError):
        x.asnumpy()


@pytest.mark.keeps_memory  # the traceback of the kept exception holds the arrays
def test_waitall_raises_unobserved_errors():
    x = nd.zeros((2,))

    def fail():
        raise KeyError("the task's own")

    engine.push(fail, write=[x])
    with pytest.raises(KeyError, match="the task's own"):
        nd.waitall()
    mx.waitall()


@pytest.mark.parametrize("bad", [3, "x", None])
def test_only_arrays_and_variables_are_named(bad):
    with pytest.raises(TypeError, match="'write'"):
        engine.push(lambda: None, write=[bad])
    with pytest.raises(TypeError, match="'fn' is a int"):
        engine.push(3)


def test_bulk_size_is_kept_and_restored():
    before = engine.set_bulk_size(4)
    try:
        assert engine.set_bulk_size(0) == 4
        with engine.bulk(10):
            assert engine.set_bulk_size(12) == 10
        assert engine.set_bulk_size(5) == 0
        with pytest.raises(KeyError), engine.bulk(7):
            raise KeyError("inside")
        assert engine.set_bulk_size(5) == 5
        with pytest.raises(ValueError, match="size=-1"):
            engine.set_bulk_size(-1)
        with pytest.raises(ValueError, match="size=-1"), engine.bulk(-1):
            pass
        assert engine.set_bulk_size(5) == 5
    finally:
        engine.set_bulk_size(before)


def test_threads_are_set_for_the_whole_package():
    before = engine.get_num_threads()
    try:
        engine.set_num_threads(1)
        assert mx.get_num_threads() == 1
        mx.set_num_threads(2)
        assert engine.get_num_threads() == 2
    finally:
        engine.set_num_threads(before)


@pytest.mark.keeps_memory
def test_an_array_recovers_when_it_is_written_as_a_whole():
    x = nd.ones((2,))

    def fails():
        raise KeyError("the task's own")

    engine.push(fails, write=[x])
    with pytest.raises(KeyError, match="the task's own"):
        x.asnumpy()
    x[:] = nd.zeros((2,))
    assert x.asnumpy().tolist() == [0, 0]


def test_a_stamp_lasts_until_the_memory_is_written():
    for array in (nd.zeros((2, 3)), nd.from_numpy(np.zeros((2, 3), np.float32))):
        stamp = engine.write_stamp(array)
        assert stamp and engine.write_stamp(array) == stamp
        array.asnumpy()
        _ = array + 1
        assert engine.write_stamp(array) == stamp
        for write in (lambda x: x.__setitem__(slice(None), 1), lambda x: x.__iadd__(1)):
            write(array)
            assert engine.write_stamp(array) != stamp
            stamp = engine.write_stamp(array)
        array[0][:] = 5  # a view shares the memory
        assert engine.write_stamp(array) != stamp
        view = memoryview(array)
        assert engine.write_stamp(array) == 0
        view.release()
        assert engine.write_stamp(array) > 0
