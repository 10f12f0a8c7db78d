import threading

import pytest

from opforge.base import numpy_semantics as semantics


@pytest.fixture(autouse=True)
def switched_off():
    yield
    semantics.set_np_array(False)
    semantics.set_np_shape(False)


def elsewhere(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_blocks_nest():
    block = semantics.np_shape()
    with block:
        assert semantics.is_np_shape()
        with semantics.np_shape(False):
            assert not semantics.is_np_shape()
            with block:
                assert semantics.is_np_shape()
            assert not semantics.is_np_shape()
        assert semantics.is_np_shape()
    assert not semantics.is_np_shape()


def test_a_block_ends_by_an_error():
    with pytest.raises(KeyError), semantics.np_shape():
        raise KeyError
    assert not semantics.is_np_shape()


def test_switches_are_the_threads():
    with semantics.np_shape(), semantics.np_array():
        assert not elsewhere(semantics.is_np_shape)
        assert not elsewhere(semantics.is_np_array)


def test_one_switch_for_all_threads():
    assert semantics.set_np_shape(2) is False
    assert elsewhere(semantics.is_np_shape)
    assert semantics.set_np_shape(0) is True
    assert not elsewhere(semantics.is_np_shape)


def test_arrays_need_shapes():
    semantics.set_np_shape(True)
    assert semantics.set_np_array(True) is False
    with pytest.raises(ValueError, match="reset_np"):
        semantics.set_np_shape(False)
    assert semantics.set_np_array(False) is True


def test_all_at_once():
    semantics.set_np(dtype=True)
    assert semantics.is_np_shape()
    assert semantics.is_np_array()
    assert semantics.is_np_default_dtype()
    semantics.set_np()
    assert not semantics.is_np_default_dtype()
    semantics.reset_np()
    assert not semantics.is_np_shape()
    assert not semantics.is_np_array()
    with pytest.raises(ValueError, match="shape=True"):
        semantics.set_np(shape=False)
    semantics.set_np(array=False)
    assert semantics.is_np_shape()
