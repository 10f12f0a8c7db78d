import pytest

from opforge.gluon.contrib.data import IntervalSampler


def test_order():
    assert list(IntervalSampler(10, 3)) == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    assert list(IntervalSampler(10, 3, rollover=False)) == [0, 3, 6, 9]
    assert len(IntervalSampler(10, 3)) == len(IntervalSampler(10, 3, rollover=False)) == 10
    with pytest.raises(AssertionError, match="Interval 3 must be smaller than or equal to"):
        IntervalSampler(2, 3)
