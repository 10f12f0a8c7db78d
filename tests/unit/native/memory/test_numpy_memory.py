"""NumPy arrays in pool memory: NumPy code in operators, at large sizes."""

import gc
import os
import resource
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import opforge as mx
from opforge import nd

get_handler_name = pytest.importorskip("numpy._core.multiarray").get_handler_name
LARGE = 1 << 16  # elements: 256 KiB of float32
POOL = "opforge_pool"

pytestmark = pytest.mark.usefixtures("no_collector")


class Calling(mx.operator.CustomOp):
    """Runs what the test put into `work`, then fills the output."""

    work = staticmethod(lambda: None)

    def forward(self, is_train, req, in_data, out_data, aux):
        type(self).work()
        self.assign(out_data[0], req[0], in_data[0])


@mx.operator.register("numpy_memory_calling")
class CallingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Calling()


def inside(work, size=LARGE):
    """Return what `work` returns when it runs in the forward of an operator on `size` elements."""
    results = []
    Calling.work = staticmethod(lambda: results.append(work()))
    try:
        nd.Custom(nd.zeros((size,)), op_type="numpy_memory_calling")
    finally:
        Calling.work = staticmethod(lambda: None)
    return results[0]


def lent():
    return mx.memory_stats()["lent_bytes"]


def test_arrays_made_in_a_large_operator_come_from_the_pool():
    array = inside(lambda: np.empty(1000))
    assert get_handler_name(array) == POOL
    assert array.ctypes.data % 64 == 0
    assert get_handler_name(np.empty(1000)) != POOL


def test_small_operators_do_not_change_numpy():
    assert get_handler_name(inside(lambda: np.empty(1000), size=4)) != POOL


def test_large_copy_out_comes_from_the_pool_and_owns_its_memory():
    array = nd.ones((LARGE,)).asnumpy()
    assert get_handler_name(array) == POOL
    assert array.flags.owndata
    assert array.flags.writeable
    assert get_handler_name(nd.ones((4,)).asnumpy()) != POOL


def test_blocks_are_reused_without_the_system():
    inside(lambda: np.exp(np.zeros(LARGE, "f")))
    before = mx.memory_stats()["system_allocations"]
    for _ in range(5):
        inside(lambda: np.exp(np.zeros(LARGE, "f")))
    assert mx.memory_stats()["system_allocations"] == before


def test_lent_memory_is_counted_separately_until_the_array_dies():
    before, live = lent(), mx.memory_stats()["live_bytes"]
    array = inside(lambda: np.empty(1 << 20))
    assert lent() - before >= 8 << 20
    assert mx.memory_stats()["live_bytes"] == live
    del array
    assert lent() == before


def test_previous_handler_is_restored_after_an_error():
    def work():
        raise RuntimeError("expected")

    with pytest.raises(mx.MXNetError):
        inside(work)
    assert get_handler_name(np.empty(1000)) != POOL


def test_nested_operators_share_the_handler():
    def work():
        inner = nd.ones((LARGE,)).asnumpy()
        return inner, np.empty(10)

    inner, after = inside(work)
    assert get_handler_name(inner) == get_handler_name(after) == POOL


def test_zeros_are_zero_in_reused_blocks():
    def work():
        np.full(LARGE, 7.0)
        return np.zeros(LARGE)

    assert not inside(work).any()


def test_huge_zeros_use_no_memory_until_touched():
    def work():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        zeros = np.zeros(1 << 30, "u1")
        assert zeros[12345] == 0 and zeros[-1] == 0
        return zeros, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    zeros, faults = inside(work)
    assert get_handler_name(zeros) == POOL
    assert zeros.ctypes.data % 64 == 0
    assert faults < 1000
    before = lent()
    del zeros
    assert lent() == before  # the system's, not the pool's


@pytest.mark.parametrize(("old", "new"), [(10, 100_000), (100_000, 10), (100_000, 100_001), (5, 0)])
def test_resize_keeps_elements_and_zeros_the_remainder(old, new):
    def work():
        array = np.arange(1.0, old + 1)
        array.resize(new, refcheck=False)
        return array

    array = inside(work)
    expected = np.zeros(new)
    expected[: min(old, new)] = np.arange(1.0, min(old, new) + 1)
    np.testing.assert_array_equal(array, expected)
    array.resize(old, refcheck=False)  # outside, with the handler that made it
    assert get_handler_name(array) == POOL


def test_growing_readers_work():
    def work():
        return (
            np.fromiter((float(i) for i in range(10_000)), float),
            np.array([{"a": 1}, None, "text"], dtype=object),
            np.sort(np.arange(1000.0).reshape(10, 100)[:, ::-1], axis=0),
            np.fromstring("1 2 3", sep=" "),
        )

    numbers, objects, ordered, parsed = inside(work)
    assert numbers.tolist() == list(range(10_000))
    assert objects.tolist() == [{"a": 1}, None, "text"]
    assert ordered.shape == (10, 100)
    assert parsed.tolist() == [1, 2, 3]


@pytest.mark.parametrize("count", [1 << 44, 1 << 55])
def test_absurd_sizes_raise_memory_error(count):
    def work():
        for make in (np.empty, np.zeros):
            with pytest.raises((MemoryError, ValueError)):
                make(count, "f8")

    inside(work)
    assert inside(lambda: np.ones(3)).tolist() == [1, 1, 1]


def test_empty_and_scalar_arrays_work():
    empty, scalar = inside(lambda: (np.empty((0, 3)), np.array(2.0)))
    assert empty.shape == (0, 3)
    assert float(scalar) == 2


def test_arrays_die_in_other_threads():
    before = lent()
    arrays = [inside(lambda: np.ones(LARGE)) for _ in range(4)]
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert lent() == before


def test_threads_use_the_handler_concurrently():
    gc.collect()
    before = lent()
    wrong = []

    def work():
        x = np.arange(LARGE, dtype="f")
        y = (x + 1) * 2 - 2
        if not np.array_equal(y, 2 * x):
            wrong.append(y)

    class Threaded(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            work()

    @mx.operator.register("numpy_memory_threaded")
    class ThreadedProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Threaded()

    def run():
        for _ in range(20):
            nd.Custom(nd.zeros((LARGE,)), op_type="numpy_memory_threaded")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert not wrong
    assert lent() == before


PRELUDE = """
import os, sys
import numpy as np
import opforge as mx
from opforge import nd
kept = nd.ones((1 << 18,)).asnumpy()
"""


@pytest.mark.parametrize(
    "ending",
    [
        "sys.stdout.flush()",
        "kept_cycle = [kept]; kept_cycle.append(kept_cycle)",
        "import atexit; atexit.register(lambda a=[kept * 2]: a.clear())",
        """
child = os.fork()
if child == 0:
    del kept
    again = nd.ones((1 << 18,)).asnumpy() + 1
    os._exit(0 if again.sum() == 2 << 18 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert kept.sum() == 1 << 18
""",
    ],
    ids=["global", "cycle", "atexit", "fork"],
)
def test_arrays_outlive_threads_and_interpreters(ending):
    code = textwrap.dedent(PRELUDE) + ending
    environment = os.environ | {"OPFORGE_PLUGINS": "none"}
    # From Python 3.12 on os.fork() warns where there are threads.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
