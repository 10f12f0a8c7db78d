"""Methods that arrays of every storage type share."""

import copy

import pytest

import opforge as mx
from opforge import nd

STYPES = pytest.mark.parametrize("stype", ["default", "csr", "row_sparse"])


def array_of(stype):
    return nd.array([[0, 1], [0, 0]]).tostype(stype)


@STYPES
def test_arrays_move_to_another_context_only(stype):
    array = array_of(stype)
    assert array.as_in_context(mx.cpu(0)) is array
    moved = array.as_in_ctx(mx.cpu(1))
    assert moved.context == mx.cpu(1)
    assert moved.stype == array.stype
    assert moved.asnumpy().tolist() == [[0, 1], [0, 0]]


@STYPES
def test_arrays_are_writable_and_of_their_own_kind(stype):
    array = array_of(stype)
    assert array.writable
    assert array.as_nd_ndarray() is array


@STYPES
def test_deep_copies_have_own_gradients(stype):
    array = array_of(stype)
    array.attach_grad()
    result = copy.deepcopy(array)
    assert type(result) is type(array)
    assert result.asnumpy().tolist() == array.asnumpy().tolist()
    assert result.grad is not None
    assert result.grad is not array.grad
    with pytest.raises(TypeError, match="'memo' must be a dict"):
        array.__deepcopy__(1)
