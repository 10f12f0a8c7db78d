import pytest

from opforge import util


def test_both_at_once():
    util.set_np()
    assert util.is_np_shape()
    assert util.is_np_array()
    util.reset_np()
    assert not util.is_np_shape()
    assert not util.is_np_array()
    with pytest.raises(ValueError, match="shape=True"):
        util.set_np(shape=False)
    util.set_np(array=False)
    assert util.is_np_shape()
    util.reset_np()
