"""Python callables as tasks on variables and arrays."""

import threading

import pytest

from opforge import nd
from opforge.native.array import Var, push
from opforge.native.threads import engine

LIMIT = 20.0  # seconds after which a test has hung


@pytest.fixture(autouse=True)
def _wait_until_settled():
    yield
    engine.wait_all()


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="argument 'fn' is a int, expected a callable"):
        push(3)
    with pytest.raises(TypeError, match=r"'write' has an element of type 'str'"):
        push(int, write=["x"])
    with pytest.raises(TypeError, match=r"'read' has an element of type 'list'"):
        push(int, read=[[Var()]])


def test_view_waits_for_the_task_that_writes_its_array():
    x, gate = nd.zeros((4,)), threading.Event()
    push(lambda: (gate.wait(LIMIT), x.__setitem__(slice(None), 3)), write=[x])
    half = x[1:3]
    gate.set()
    assert half.asnumpy().tolist() == [3, 3]


def test_versions_count_writes_and_not_reads():
    var = Var()
    for wrote in ([var], [], [var]):
        push(int, read=[] if wrote else [var], write=wrote)
    var.wait_to_write()
    assert (var.version, var.is_idle) == (2, True)


def test_array_lives_until_the_task_on_it_has_run():
    gate, seen = threading.Event(), []
    x = nd.ones((3,))
    shared = x[0:2]
    push(lambda: (gate.wait(LIMIT), seen.append("ran")), write=[x])
    del x
    gate.set()
    shared.wait_to_read()
    assert seen == ["ran"]
