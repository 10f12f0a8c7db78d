"""Operators without inputs."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.base.errors import AttributeValueError


def test_context_and_type():
    with mx.cpu(1):
        x = nd._zeros(shape=(2,), dtype="int32")
    assert (x.context, x.dtype) == (mx.cpu(1), np.int32)


def test_values():
    assert nd._arange(start=3).asnumpy().tolist() == [0, 1, 2]
    assert nd._arange(start=1, stop=0).shape == (0,)
    assert nd._linspace(start=0, stop=1, num=2, endpoint=False).asnumpy().tolist() == [0, 0.5]
    assert nd._eye(N=2, M=3, k=-1).asnumpy().tolist() == [[0, 0, 0], [1, 0, 0]]
    assert nd._full(shape=(2,), value=2.5).asnumpy().tolist() == [2.5, 2.5]


def test_errors():
    with pytest.raises(AttributeValueError, match="Required parameter value"):
        nd._full(shape=(2,))
    with pytest.raises(AttributeValueError, match="repeat"):
        nd._arange(start=1, repeat=0)
