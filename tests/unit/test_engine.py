"""The engine's public face: bulk sizes and threads; tasks are tested with the native engine."""

import pytest

from opforge import engine, nd


def test_bulk_size_is_set_and_restored():
    before = engine.set_bulk_size(7)
    try:
        with engine.bulk(3):
            assert engine.set_bulk_size(3) == 3
        assert engine.set_bulk_size(7) == 7
        with pytest.raises(KeyError), engine.bulk(5):
            raise KeyError
        assert engine.set_bulk_size(7) == 7
    finally:
        engine.set_bulk_size(before)


def test_a_negative_bulk_size_is_refused():
    with pytest.raises(ValueError, match="size=-1"):
        engine.set_bulk_size(-1)


def test_results_do_not_depend_on_the_number_of_threads():
    before = engine.num_threads()
    x = nd.random.uniform(shape=(257, 301))
    try:
        found = []
        for threads in (1, 2):
            engine.set_num_threads(threads)
            assert engine.num_threads() == threads
            found.append((nd.exp(x).asnumpy().tobytes(), x.sum().asscalar()))
        assert found[0] == found[1]
    finally:
        engine.set_num_threads(before)


def test_a_pushed_task_has_run_after_waitall():
    done = []
    engine.push(lambda: done.append(1), write=[engine.Var()])
    engine.waitall()
    assert done == [1]
