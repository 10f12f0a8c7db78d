"""opforge uses its share of CPUs, none while idle, and does not disturb other libraries."""

import os
import threading
import time

import pytest

from opforge import nd
from opforge.engine import push, waitall
from opforge.native.threads import engine, parallel

from .processes import run_program

SHOW = "import opforge; print(opforge.get_num_threads())"


@pytest.mark.parametrize("name", ["OPFORGE_NUM_THREADS", "OMP_NUM_THREADS"])
def test_the_environment_says_how_many_threads(name: str) -> None:
    assert run_program(SHOW, **{name: "5"}).strip() == "5"
    assert run_program(SHOW, **{"OMP_NUM_THREADS": "5", "OPFORGE_NUM_THREADS": "3"}).strip() == "3"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="there is no CPU affinity")
def test_the_affinity_at_import_says_how_many_threads() -> None:
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); " + SHOW
    assert run_program(code, OMP_NUM_THREADS="", OPFORGE_NUM_THREADS="").strip() == "1"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="there is no CPU affinity")
def test_an_affinity_that_shrinks_later_costs_no_time() -> None:
    run_program("""
        import os, time
        import opforge
        from opforge import nd
        opforge.set_num_threads(2)
        cpu = min(os.sched_getaffinity(0))
        x = nd.ones((200_000,))
        x += 1
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), {cpu})

        def timed():
            begin = time.process_time()
            for _ in range(300):
                x.__imul__(1)
            return time.process_time() - begin

        two = min(timed() for _ in range(5))
        opforge.set_num_threads(1)
        one = min(timed() for _ in range(5))
        assert two < 3 * one + 0.05, (one, two)
        assert (x.asnumpy() == 2).all()
    """)


def test_threads_of_numpy_are_left_alone() -> None:
    run_program(
        """
        import ctypes, os, re
        import numpy as np

        def threads_of_numpy():
            with open("/proc/self/maps") as lines:
                found = re.search("/[^ \\n]*numpy[^ \\n]*openblas[^ \\n]*", lines.read())
            if found is None:
                return None
            library = ctypes.CDLL(found.group().strip())
            for name in ("scipy_openblas_get_num_threads64_", "openblas_get_num_threads"):
                if hasattr(library, name):
                    return getattr(library, name)()

        environment = dict(os.environ)
        before = threads_of_numpy()
        import opforge
        from opforge import nd
        opforge.set_num_threads(2)
        x = nd.ones((300, 300))
        nd.dot(x, x).wait_to_read()
        opforge.set_num_threads(1)
        nd.dot(x, x).wait_to_read()
        assert threads_of_numpy() == before, (before, threads_of_numpy())
        assert dict(os.environ) == environment
        """,
        OPENBLAS_NUM_THREADS="2",
    )


def _cpu_time_of_a_pause() -> float:
    begin = time.process_time()
    threading.Event().wait(0.05)
    return time.process_time() - begin


def test_idle_threads_use_no_cpu_time() -> None:
    before = parallel.get_num_threads()
    parallel.set_num_threads(4)
    engine.configure(workers=4, naive=False)
    try:
        nd.ones((1_000_000,)).wait_to_read()
        for _ in range(20):
            push(lambda: nd.ones((100_000,)) * 2)
        waitall()
        # of several: workers spin before they park, on a busy machine at any later time
        assert min(_cpu_time_of_a_pause() for _ in range(10)) < 0.005
    finally:
        parallel.set_num_threads(before)
        engine.configure()


def test_threads_of_a_user_share_the_cpus() -> None:
    """Kernels of several threads together take no more CPU time than one after the other."""
    x = [nd.ones((400_000,)) for _ in range(4)]

    def work(position: int) -> None:
        for _ in range(60):
            x[position] *= 1

    def timed(targets: list[threading.Thread]) -> float:
        begin = time.process_time()
        for thread in targets:
            thread.start()
        for thread in targets:
            thread.join()
        return time.process_time() - begin

    before = parallel.get_num_threads()
    parallel.set_num_threads(2)
    try:
        alone = min(
            sum(timed([threading.Thread(target=work, args=(i,))]) for i in range(4))
            for _ in range(3)
        )
        together = min(
            timed([threading.Thread(target=work, args=(i,)) for i in range(4)]) for _ in range(3)
        )
    finally:
        parallel.set_num_threads(before)
    assert together < 2 * alone + 0.05
