import threading
from multiprocessing import Pipe

import numpy as np
import pytest

from opforge import nd
from opforge.gluon.data import _transport
from opforge.gluon.data._transport import PIPE_LIMIT, receive, send


@pytest.fixture
def pipe():
    here, there = Pipe()
    with here, there:
        yield here, there


def through(pipe, value):
    send(pipe[0], value)
    return receive(pipe[1])


@pytest.mark.parametrize("size", [1, 100, 1000, PIPE_LIMIT + 1, 100_000])
def test_payloads_of_any_size_and_kind_come_through(pipe, size):
    values = np.arange(size, dtype=np.int64)
    sent = {
        "nd": nd.array(values, dtype="int64"),
        "np": values,
        "strided": values[::2],
        "text": "x" * size,
        "many": [nd.ones((1,))] * min(size, 2000),
        "empty": np.empty((0, 3)),
    }
    got = through(pipe, sent)
    assert isinstance(got["nd"], nd.NDArray)
    assert got["nd"].dtype == np.int64
    np.testing.assert_array_equal(got["nd"].asnumpy(), values)
    np.testing.assert_array_equal(got["strided"], values[::2])
    assert got["text"] == sent["text"]
    assert [x.asscalar() for x in got["many"]] == [1] * min(size, 2000)
    assert got["empty"].shape == (0, 3)


@pytest.mark.parametrize("size", [1, 10_000])
def test_received_arrays_are_writable_copies(pipe, size):
    sent = np.zeros(size)
    got = through(pipe, sent)
    got += 1
    assert (got == 1).all()
    assert not sent.any()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int8", "bool"])
def test_types_of_arrays(pipe, dtype):
    sent = nd.array(np.arange(5000) % 2, dtype=dtype)
    got = through(pipe, sent)
    assert (got.dtype, got.shape) == (sent.dtype, sent.shape)
    np.testing.assert_array_equal(got.asnumpy(), sent.asnumpy())


def test_large_messages_leave_little_in_the_pipe(pipe):
    # No process reads yet: a sender that filled the pipe would wait here forever.
    for i in range(30):
        send(pipe[0], np.full(1_000_000, i, np.uint8))
    assert [receive(pipe[1])[-1] for i in range(30)] == list(range(30))


def test_unpicklable_objects_are_not_sent(pipe):
    with pytest.raises(TypeError, match="pickle"):
        send(pipe[0], [np.zeros(10_000), threading.Lock()])
    assert through(pipe, "next") == "next"


def test_a_closed_end_is_an_end_of_file(pipe):
    pipe[0].close()
    with pytest.raises(EOFError):
        receive(pipe[1])


def test_without_anonymous_memory_a_temporary_file_serves(pipe, monkeypatch):
    monkeypatch.delattr(_transport.os, "memfd_create")
    assert through(pipe, np.arange(10_000))[-1] == 9_999
