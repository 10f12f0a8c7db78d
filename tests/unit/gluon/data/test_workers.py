import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from opforge.base.errors import OpforgeError
from opforge.gluon.data import DataLoader, LoaderTimeoutError, SimpleDataset
from opforge.gluon.data._workers import WorkerPool
from opforge.gluon.data.batchify import AsList

numbers = SimpleDataset(range(8))


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    gc.collect()
    assert multiprocessing.active_children() == []


def test_results_come_for_tickets_in_any_order():
    pool = WorkerPool(numbers, AsList(), 2)
    tickets = [pool.submit([i, i + 1], seed=0) for i in range(7)]
    pool.discard(tickets[2:4])
    assert [pool.result(tickets[i], 10) for i in (6, 0, 5)] == [[6, 7], [0, 1], [5, 6]]
    assert pool.usable
    pool.close()
    assert not pool.usable


def test_more_batches_than_workers_may_have_in_hand():
    pool = WorkerPool(numbers, AsList(), 1)
    tickets = [pool.submit([i % 8], seed=0) for i in range(200)]
    assert [pool.result(ticket, 10) for ticket in tickets] == [[i % 8] for i in range(200)]
    pool.close()


def test_timeout():
    loader = DataLoader(numbers.transform(lambda i: time.sleep(60)), 1, timeout=0.2, num_workers=2)
    with pytest.raises(LoaderTimeoutError, match=r"2 workers returned no batch within") as caught:
        next(iter(loader))
    assert isinstance(caught.value, multiprocessing.TimeoutError)
    loader.close()


def test_unpicklable_exceptions_keep_their_message():
    def fail(number):
        class LocalError(Exception):
            pass

        raise LocalError("inside")

    loader = DataLoader(numbers.transform(fail), 2, num_workers=1)
    with pytest.raises(OpforgeError, match="LocalError: inside") as caught:
        list(loader)
    assert "in fail" in str(caught.value.__cause__)


def test_a_killed_worker_is_reported_and_replaced():
    marker = multiprocessing.Value("i", 0)

    def die_once(number):
        if number == 4 and not marker.value:
            marker.value = 1
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    loader = DataLoader(numbers.transform(die_once), 2, num_workers=2)
    with pytest.raises(OpforgeError, match=r"died with exit code -9.*samples \[4, 5\]"):
        list(loader)
    assert len(list(loader)) == 4


@pytest.mark.parametrize(
    "interrupt",
    [
        "os.killpg(os.getpgid(0), signal.SIGINT)",
        # The system may choose any thread: here one that does not wait for a batch.
        "signal.pthread_kill(threading.get_ident(), signal.SIGINT)",
    ],
    ids=["group", "another thread"],
)
def test_an_interrupt_reaches_the_parent_and_only_it(interrupt):
    program = f"""
        import os, signal, sys, threading, time
        from opforge.gluon.data import DataLoader, SimpleDataset

        # A shell starts what runs in the background with SIGINT ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def slow(i):
            time.sleep(0.05 if i < 4 else 1000)
            return i

        loader = DataLoader(SimpleDataset(range(8)).transform(slow), 1, num_workers=2)
        batches = iter(loader)
        next(batches)
        threading.Timer(0.5, lambda: {interrupt}).start()
        list(batches)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
    )
    assert done.returncode == -signal.SIGINT
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_workers_end_with_a_parent_that_is_killed(wait_for_exit):
    program = """
        import os, signal, time
        from opforge.gluon.data import DataLoader, SimpleDataset

        pids = SimpleDataset(range(8)).transform(lambda i: os.getpid())
        loader = DataLoader(pids, 1, num_workers=2)
        print(*{int(pid.asnumpy()[0]) for pid in loader}, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60
    )
    pids = [int(word) for word in done.stdout.split()]
    assert pids
    for pid in pids:
        wait_for_exit(pid)
