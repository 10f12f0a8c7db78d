import pytest
from opforge_tools.testing._leaks import LeakCounter

from opforge import nd


def test_live_buffers_are_counted():
    counter = LeakCounter()
    kept = [nd.ones((100,)) for _ in range(3)]
    assert counter.buffers == 3 and counter.bytes >= 1200
    counter.restart()
    assert counter.buffers == 0
    kept.clear()
    assert counter.buffers == -3


def test_a_block_that_leaks_fails():
    kept = []
    with (
        pytest.raises(AssertionError, match=r"1 buffers of arrays.*outlive"),
        LeakCounter(),
    ):
        kept.append(nd.ones((100,)))
    with LeakCounter():
        nd.ones((100,)) * 2


def test_an_exception_is_not_hidden():
    kept = []
    with pytest.raises(KeyError), LeakCounter():
        kept.append(nd.ones((100,)))
        raise KeyError
