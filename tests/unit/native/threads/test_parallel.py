"""The thread pool: each unit runs once, from any thread, for any number of threads."""

import threading
from collections.abc import Iterator

import pytest

from opforge.native.threads import parallel


@pytest.fixture(autouse=True)
def _restore_threads() -> Iterator[None]:
    before = parallel.get_num_threads()
    yield
    parallel.set_num_threads(before)


def _run(n: int, grain: int, rows: int = 0, times: int = 1) -> None:
    cells = bytearray(n)
    parallel._self_test(cells, grain, rows, times)
    assert cells == bytes([times % 256]) * n


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_each_unit_runs_exactly_once(threads: int) -> None:
    parallel.set_num_threads(threads)
    for n in (0, 1, 2, 7, 63, 64, 65, 1000):
        for grain in (0, 1, 2, 30, 1000, 5000):
            _run(n, grain)
    _run(1003, 7, times=100)


def test_nested_loops_run_inline() -> None:
    parallel.set_num_threads(4)
    _run(40 * 25, grain=1, rows=40, times=50)


def test_several_python_threads_at_once() -> None:
    parallel.set_num_threads(4)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(100):
                _run(777, grain=5, times=10)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_number_of_threads_can_change_at_any_time() -> None:
    for i in range(200):
        parallel.set_num_threads(1 + i * 7 % 5)
        _run(300, grain=3, times=3)


def test_set_num_threads_returns_the_previous_number() -> None:
    parallel.set_num_threads(3)
    assert parallel.set_num_threads(2) == 3
    assert parallel.get_num_threads() == 2


@pytest.mark.parametrize("n", [0, -1, 100_000])
def test_set_num_threads_rejects_invalid_numbers(n: int) -> None:
    with pytest.raises(ValueError, match=f"got n={n}, expected an integer from 1 to"):
        parallel.set_num_threads(n)
