"""Indexing by masks: what counts as one, and what happens then."""

import warnings

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OpforgeError
from opforge.native.array import is_mask

A = nd.array([1, 2, 3])

MASKS = {
    "greater": lambda: A > 2,
    "equal": lambda: A == A,
    "broadcast": lambda: nd.broadcast_lesser(nd.ones((2, 1)), A),
    "function": lambda: nd.greater_equal(A, 2),
    "reflected": lambda: A > 2,
    "not": lambda: nd.logical_not(A > 2),
    "and": lambda: nd.logical_and(A > 1, A < 3),
    "xor with a number": lambda: nd.logical_xor(A > 1, 1),
    "isnan": lambda: nd.contrib.isnan(A),
    "copy": lambda: (A > 2).copy(),
    "view": lambda: (A > 2)[1:],
    "detached": lambda: (A > 2).detach(),
    "reshaped": lambda: (A > 2).reshape((3, 1)),
    "int32": lambda: A.astype("int32") > 2,
}
NUMBERS = {
    "numbers": lambda: nd.array([0, 1, 1]),
    "zeros": lambda: nd.zeros(3),
    "positions": lambda: nd.argsort(A),
    "cast": lambda: (A > 2).astype("int32"),
    "counted": lambda: (A > 2) + (A > 1),
    "multiplied": lambda: (A > 2) * 1,
    "chosen": lambda: nd.where(A > 2, A, nd.zeros_like(A)),
}


@pytest.mark.parametrize("name", MASKS)
def test_masks_are_known(name):
    assert is_mask(MASKS[name]())


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_none(name):
    assert not is_mask(NUMBERS[name]())


def test_what_was_written_over_is_no_mask_any_more():
    mask = A > 2
    mask += 1
    assert not is_mask(mask)
    mask = A > 2
    mask[:] = nd.array([2, 1, 0])
    assert not is_mask(mask)


def test_reading_and_writing_by_a_mask_warn():
    b = nd.array([1, 2, 3])
    with pytest.warns(FutureWarning, match=r"nd.where.* or nd.contrib.boolean_mask"):
        b[b > 100] = 0
    assert b.asnumpy().tolist() == [0, 2, 3]  # row 0, as in MXNet 1.x
    with pytest.warns(FutureWarning, match="as positions, 0 and 1"):
        assert b[b > 2].asnumpy().tolist() == [0, 0, 2]
    with pytest.warns(FutureWarning), autograd.record():
        nd.ones((2, 2))[:, nd.ones(2) > 0]


def test_a_line_warns_once_and_is_named():
    b = nd.array([1, 2, 3])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            b[b > 2]
    assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_index_in_silence(name):
    nd.arange(10)[NUMBERS[name]()]
    nd.arange(10)[NUMBERS[name]()] = 1


def test_a_setting_makes_it_an_error(monkeypatch):
    monkeypatch.setenv("OPFORGE_STRICT_MASKS", "1")
    b = nd.array([1, 2, 3])
    with pytest.raises(OpforgeError, match="boolean_mask"):
        b[b > 100] = 0
    with pytest.raises(OpforgeError, match="boolean_mask"):
        b[b > 2]
    assert b.asnumpy().tolist() == [1, 2, 3]
    assert b[np.array([True, False])].shape == (2,)  # of NumPy, which MXNet takes for numbers too
