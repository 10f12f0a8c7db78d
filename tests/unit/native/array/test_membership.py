"""Tests of `isinstance(x, NDArray)` without a Python frame."""

from unittest.mock import Mock

import numpy as np
import pytest

from opforge import nd
from opforge.native.array.membership import is_instance
from opforge.ndarray import NDArray


class Part(NDArray):
    """A class of arrays."""

    __slots__ = ()


def part():
    x = nd.zeros((2,))
    x.__class__ = Part
    return x


def test_instances_of_the_class_and_its_subclasses():
    assert isinstance(part(), NDArray)
    assert isinstance(part(), Part)
    assert not isinstance(nd.zeros((2,)), Part)


def test_sparse_arrays_count_as_ndarrays_only():
    sparse = nd.sparse.zeros("csr", (2, 2))
    assert isinstance(sparse, NDArray)
    assert not isinstance(sparse, Part)


@pytest.mark.parametrize("other", [3, "x", None, (), np.zeros(2), NDArray, object(), Exception()])
def test_other_objects(other):
    assert not isinstance(other, NDArray)


def test_objects_that_claim_the_class():
    assert isinstance(Mock(spec=NDArray), NDArray)
    assert not isinstance(Mock(), NDArray)


def test_something_that_is_not_a_class_is_rejected():
    with pytest.raises(TypeError, match="type"):
        is_instance(3, 4)
