"""Gradients of copied and pickled arrays."""

import copy
import pickle

import pytest

from opforge import autograd, nd


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("stype", [None, "row_sparse"])
def test_a_copy_has_a_gradient_of_its_own(copied, stype):
    x = nd.array([[1, 2]])
    x.attach_grad("add", stype)
    other = copied(x)
    for _ in range(2):
        with autograd.record():
            y = other * other
        y.backward()
    assert other.grad.asnumpy().tolist() == [[4, 8]]
    assert other.grad.stype == (stype or "default")
    assert x.grad.asnumpy().tolist() == [[0, 0]]


def test_a_shallow_copy_has_no_gradient():
    x = nd.ones(2)
    x.attach_grad()
    assert copy.copy(x).grad is None
    assert x.copy().grad is None
