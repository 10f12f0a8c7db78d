"""Exhausted memory raises a MemoryError that names the size, and the process continues to work."""

import pytest

from opforge import nd

from .processes import run_program

PROGRAM = """
import os, re, resource, tempfile
import numpy as np
import opforge as mx
from opforge import autograd, nd
from opforge.engine import Var, push

mx.set_num_threads(2)
x = nd.ones((1000, 1000))
nd.dot(x, x).wait_to_read()  # threads and BLAS have what they need
push(int); mx.nd.waitall()
big = nd.ones((16, 1024, 1024))  # 64 MiB
big.attach_grad()
with autograd.record():
    y = nd.broadcast_add(big * 2, nd.zeros((1,)))
path = os.path.join(tempfile.mkdtemp(), "arrays")
nd.save(path, [big])

mx.release_pool()
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + {room}, hard))

{work}

resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
"""

FAIL = """
try:
    {work}
except MemoryError as error:
    assert re.search("[0-9]{{7,}} bytes|Unable to allocate", str(error)), str(error)
else:
    raise AssertionError("there was memory for it")
small = nd.ones((100, 100))
assert (nd.dot(small, small).asnumpy() == 100).all()
out = []
push(lambda: out.append(1)); mx.nd.waitall()
assert out == [1]
"""

WORK = {
    "forward": "nd.exp(big)",
    "operator": "nd.softmax(big)",
    "recurrence": "nd.RNN(big, nd.zeros((590848,)), *[nd.zeros((1, 1024, 128))] * 2, mode='lstm', "
    "state_size=128, num_layers=1)",
    "attention": "nd.scaled_dot_product_attention(big, big, big)",
    "backward": "y.backward()",
    "asnumpy": "big.asnumpy()",
    "copy": "big.copy()",
    "load": "nd.load(path)",
    "growth of the pool": "kept = [nd.ones((100, 1000)) for _ in range(10000)]",
}


@pytest.mark.parametrize("name", WORK)
def test_the_error_names_the_size_and_the_process_works_on(name: str) -> None:
    work = FAIL.format(work=WORK[name])
    run_program(PROGRAM.format(work=work, room=40 << 20))


def test_pushes_without_memory_raise_and_leave_the_engine_whole() -> None:
    run_program(
        PROGRAM.format(
            room=24 << 20,
            work="""
import threading
began, release, var, done, pushed = threading.Lock(), threading.Lock(), Var(), [], 0
began.acquire(), release.acquire()
push(lambda: (began.release(), release.acquire()), write=[var])
began.acquire()  # a task that begins later has no memory to run in
hog = []
try:
    while True:
        hog.append(bytes(1 << 16))
except MemoryError:
    pass
try:
    for _ in range(10_000_000):
        push(done.clear, write=[var])
        pushed += 1
except MemoryError:
    pass
else:
    raise AssertionError("there was memory for ten million tasks")
hog.clear()
release.release()
var.wait_to_read()
assert var.version == pushed + 1, (var.version, pushed)
push(lambda: done.append(1), write=[var])
mx.nd.waitall()
assert done == [1]
""",
        )
    )


LIMITED = """
import resource, threading
import opforge as mx
from opforge import nd

def limit(headroom):
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + headroom, hard))

def product(n, w):
    try:
        y = nd.dot(nd.ones((n, 1000)), w)
    except MemoryError:
        return 0
    assert y[0, 0].asscalar() == y[n - 1, 999].asscalar() == 1000
    return 1

mx.set_num_threads(2)
w = nd.ones((1000, 1000))
w.wait_to_read()
"""


EXHAUST = """
import ctypes

malloc = ctypes.CDLL(None).malloc
malloc.restype, malloc.argtypes = ctypes.c_bool, [ctypes.c_size_t]

def exhaust():
    for size in (1 << 24, 1 << 20, 1 << 16, 1 << 12, *range(1040, 0, -16)):
        while malloc(size):
            pass
"""


@pytest.mark.parametrize("room", [0, 1 << 20, 33 << 20])
def test_products_need_no_more_memory_than_their_results(room: int) -> None:
    """OpenBLAS would end the process if it got no buffer for a second thread."""
    run_program(
        LIMITED
        + f"""
assert product(1, w)
limit({room})
done = [product(n, w) for n in (11, 101, 1001, 5001)]
assert done[0] and (done[3] or {room} < 33 << 20), done
"""
    )


def test_threads_without_memory_multiply_by_turns() -> None:
    run_program(
        LIMITED
        + """
import os
done, go = [], threading.Event()
def work():
    go.wait(60)
    done.extend(product(17, w) for _ in range(20))
threads = [threading.Thread(target=work) for _ in range(8)]
assert product(1, w)
for thread in threads:
    thread.start()
limit(1 << 20)
go.set()
child = os.fork()
if child == 0:
    os._exit(0 if product(17, w) else 3)
for thread in threads:
    thread.join()
assert len(done) == 160 and sum(done) > 0, done
assert os.waitpid(child, 0)[1] == 0
"""
    )


def test_a_thread_that_has_multiplied_needs_nothing_more_for_a_larger_product() -> None:
    """OpenBLAS's kernels for small products leave the thread's data to the first large one."""
    run_program(
        LIMITED
        + EXHAUST
        + """
small, large = nd.ones((48, 48)), nd.ones((300, 300))
out, first, errors = nd.zeros((300, 300)), nd.zeros((48, 48)), [None]
assert product(1, w)

def work():
    nd.dot(small, small, out=first)
    limit(0)
    exhaust()
    try:
        nd.dot(large, large, out=out)
    except MemoryError as error:  # Python's own
        errors[0] = error

thread = threading.Thread(target=work)
thread.start()
thread.join()
assert first[47, 47].asscalar() == 48
assert errors[0] is not None or out[299, 299].asscalar() == 300
"""
    )


@pytest.mark.parametrize("room", [0, 4 << 20, 40 << 20, 90 << 20])
def test_the_first_product_reports_the_memory_openblas_needs(room: int) -> None:
    run_program(
        LIMITED
        + f"""
dot, x = nd.dot, (nd.ones((2, 100)), nd.ones((100, 2)))  # makes the function
limit({room})
try:
    dot(*x).wait_to_read()
except MemoryError as error:
    assert "OpenBLAS" in str(error) and "ulimit" in str(error), error
else:
    raise AssertionError("there was memory for it")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
assert product(17, w)
"""
    )


def test_a_thread_without_any_memory_hears_so_from_the_engine() -> None:
    """A C++ exception allocates its thread's state there, and glibc would end the process."""
    run_program(
        LIMITED
        + EXHAUST
        + """
from opforge.engine import Var, push

go, held, errors, kept = threading.Event(), Var(), [], [None] * 200

def first_error(call):
    # of many calls: what another thread frees meanwhile may be enough for one
    try:
        for i in range(200):
            kept[i] = call()
    except MemoryError as error:
        return str(error)

def work():
    go.wait(60)
    exhaust()
    errors.extend(map(first_error, calls))

calls = [Var, lambda: push(int, write=[held])]
assert list(map(first_error, calls)) == [None, None]
mx.nd.waitall()
hold = threading.Lock()
hold.acquire()
push(hold.acquire, write=[held])
thread = threading.Thread(target=work)
thread.start()
limit(4 << 20)
go.set()
thread.join()
hold.release()
assert "for a variable" in errors[0] and "for a task" in errors[1], errors
"""
    )


def test_a_task_for_which_python_has_no_memory_fails() -> None:
    """Python would end the process if it could not allocate the state of the worker's thread."""
    pytest.importorskip("_testcapi")
    run_program(
        LIMITED
        + """
import _testcapi, sys
from opforge.engine import Var, push

sys.setswitchinterval(60)  # no thread of Python runs, and needs memory, until this one waits
go, first, second = threading.Event(), Var(), Var()

def leave_nothing():
    go.wait(60)
    _testcapi.set_nomemory(0, 1)

push(leave_nothing, write=[first])
push(int, read=[first], write=[second])
go.set()
try:
    second.wait_to_read()
except MemoryError as error:
    assert "to run a task" in str(error), error
else:
    raise AssertionError("there was memory for it")
"""
    )


@pytest.mark.parametrize("shape", [(1 << 42,), (1 << 21, 1 << 20), (1 << 62,)])
def test_impossible_sizes_are_rejected_immediately(shape: tuple[int, ...]) -> None:
    with pytest.raises(MemoryError, match=r"bytes|too many elements"):
        nd.empty(shape)


def test_a_block_of_a_context_ends_without_any_memory() -> None:
    """CPython would end the process if it could not allocate a context variable's token."""
    run_program(
        LIMITED
        + EXHAUST
        + """
import gc, os

def fill_the_interpreters_heap():
    chain = None
    for length in range(60, 0, -2):  # tuples of every size that a token or a table's part may have
        try:
            while True:
                chain = (chain,) * length
        except MemoryError:
            pass
    return chain

def leave():
    try:
        inside.__exit__(None, None, None)
    except MemoryError:
        pass

inside = mx.cpu(1)
inside.__enter__()
inside.__enter__()
leave()  # every function has run once
gc.disable()
limit(0)
exhaust()
kept = fill_the_interpreters_heap()
leave()
os._exit(0)
"""
    )
