"""Fork and exit, each in a separate process: no hangs, no crashes."""

import os
import subprocess
import sys
import textwrap

import pytest

LIMIT = 150

PREAMBLE = """
import multiprocessing, os, sys, threading, time
from opforge.base.errors import OpforgeError
from opforge.native.threads import engine, parallel
from opforge.native.array import Var, push
from opforge.native.threads.engine import wait_all

def loop(n=1000):
    cells = bytearray(n)
    parallel._self_test(cells, 10)
    assert cells == bytes([1]) * n

def use():
    loop()
    var, out = Var(), []
    push(lambda: out.append(1), write=[var])
    var.wait_to_read()
    wait_all()
    assert out == [1]

def child(work):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

parallel.set_num_threads(3)
engine.configure(workers=2, naive=False)
"""


def _run(program: str, expected: int = 0) -> str:
    code = PREAMBLE + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # NumPy's threads are not ours
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    assert "terminate" not in done.stderr
    assert "Fatal" not in done.stderr
    return done.stdout


def test_child_and_grandchild_work_after_use_in_the_parent() -> None:
    _run("""
        use()
        for _ in range(10):
            assert child(use) == 0
        assert child(lambda: (use(), sys.exit(child(use)) if child(use) else None)) == 0
        use()
    """)


def test_fork_while_other_threads_loop_and_push() -> None:
    _run("""
        stop = threading.Event()
        def busy():
            while not stop.is_set():
                use_loop = [loop(500) for _ in range(20)]
                push(int, write=[Var()])
        threads = [threading.Thread(target=busy) for _ in range(3)]
        [t.start() for t in threads]
        try:
            for _ in range(20):
                assert child(use) == 0
        finally:
            stop.set()
        [t.join() for t in threads]
        use()
    """)


def test_multiprocessing_fork_workers() -> None:
    _run("""
        use()
        with multiprocessing.get_context("fork").Pool(3) as pool:
            pool.map(loop, [100] * 20)
            pool.starmap(use, [()] * 20)
        use()
    """)


def test_fork_inside_a_task() -> None:
    _run("""
        codes = []
        var = Var()
        push(lambda: codes.append(child(use)), write=[var])
        var.wait_to_read()
        assert codes == [0], codes
        use()
    """)


def test_tasks_pending_at_the_fork_raise_in_the_child() -> None:
    _run("""
        engine.FORK_SECONDS = 0.1
        release, var = threading.Event(), Var()
        push(lambda: release.wait(30), write=[var])
        def look():
            try:
                var.wait_to_read()
            except OpforgeError as error:
                assert "forked" in str(error), error
            else:
                raise AssertionError("no exception")
            push(int, write=[var])
            var.wait_to_read()
            use()
        assert child(look) == 0
        release.set()
        var.wait_to_read()
    """)


def test_exit_finishes_pending_tasks() -> None:
    out = _run("""
        var = Var()
        for i in range(5):
            push(lambda i=i: (time.sleep(0.02), print(i, flush=True)), write=[var])
    """)
    assert out.split() == list("01234")


@pytest.mark.parametrize("body", ["time.sleep(30)", "[time.sleep(0.001) for _ in range(30000)]"])
def test_exit_abandons_a_task_that_does_not_end(body: str) -> None:
    out = _run(f"""
        engine.EXIT_SECONDS = 0.2
        var = Var()
        push(lambda: {body}, write=[var])
        push(lambda: print("must not run", flush=True), write=[var])
    """)
    assert out == ""


def test_exit_with_an_unraised_exception() -> None:
    _run("""
        var = Var()
        push(lambda: 1 / 0, write=[var])
    """)


def test_pushes_after_the_exit_hook_run_inline() -> None:
    out = _run("""
        import atexit
        engine._stop_at_exit()
        push(lambda: print("inline", flush=True), write=[Var()])
    """)
    assert out == "inline\n"


def test_import_alone_starts_no_thread() -> None:
    _run("""
        assert len(os.listdir("/proc/self/task")) == threading.active_count()
    """)
