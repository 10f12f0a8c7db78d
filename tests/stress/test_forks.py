"""A fork at any time gives a child that computes, pushes, trains and exits."""

import pytest

from .processes import run_program

PRELUDE = """
import multiprocessing, os, random, sys, threading, time
import opforge as mx
from opforge import nd
from opforge.engine import Var, push
from opforge.native.threads import engine, parallel

parallel.set_num_threads(3)
engine.configure(workers=2, naive=False)
a = nd.ones((300, 300))
stop = threading.Event()

def use():
    assert (nd.dot(a, a).asnumpy() == 300).all()
    big = nd.ones((300_000,)) * 2
    assert big.sum().asscalar() == 600_000
    out, var = [], Var()
    push(lambda: out.append(float(nd.ones((5000,)).sum().asscalar())), write=[var])
    var.wait_to_read()
    mx.nd.waitall()
    assert out == [5000.0]

def child(work):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return pid

def compute():
    rng = random.Random(1)
    while not stop.is_set():
        x = nd.ones((rng.randint(1, 200_000),)) + 1
        nd.dot(a, a).wait_to_read()

def feed():
    var = Var()
    while not stop.is_set():
        for _ in range(20):
            push(lambda: nd.ones((20_000,)) * 3, write=[var])
        var.wait_to_read()

def busily(work):
    use()  # Python's own lock of a module that another thread imports is lost to the child
    threads = [threading.Thread(target=target) for target in (compute, feed)]
    [thread.start() for thread in threads]
    try:
        work()
    finally:
        stop.set()
        [thread.join() for thread in threads]
    use()
"""

FORKS = 120


def test_os_fork_while_others_compute_and_push(request: pytest.FixtureRequest) -> None:
    count = FORKS * request.config.getoption("stress")
    run_program(
        PRELUDE
        + f"""
def fork():
    for _ in range({count}):
        pid = child(use)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

busily(fork)
"""
    )


def test_forks_of_a_thread_that_is_not_the_main_one() -> None:
    run_program(
        PRELUDE
        + """
codes = []
def fork():
    for _ in range(30):
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child(use), 0)[1]))

def in_thread():
    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()

busily(in_thread)
assert codes == [0] * 30, codes
"""
    )


def test_multiprocessing_and_data_loaders() -> None:
    run_program(
        PRELUDE
        + """
from opforge.gluon.data import DataLoader, SimpleDataset

def square(x):
    return float((nd.ones((20_000,)) * x).sum().asscalar()) / 20_000

def fork():
    for _ in range(5):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(square, range(8)) == [float(x) for x in range(8)]
        loader = DataLoader(SimpleDataset(range(8)).transform(square), 4, num_workers=2)
        assert [batch.asnumpy().tolist() for batch in loader] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        loader.close()

busily(fork)
"""
    )


def test_a_handler_that_forks_within_a_kernel() -> None:
    run_program(
        PRELUDE
        + """
codes = []

def handler(number, frame):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            use()
            code = 0
        finally:
            os._exit(code)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

use()  # a handler within Python's import of a module finds half of it
signal.signal(signal.SIGUSR1, handler)
b = nd.ones((3000, 3000))
threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGUSR1)).start()
while not codes:
    assert (nd.dot(b, b).asnumpy() == 3000).all()
assert codes == [0], codes
"""
    )
