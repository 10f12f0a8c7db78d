import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.gluon.utils import split_and_load, split_data


def test_even():
    parts = split_data(nd.arange(6).reshape((6, 1)), 3)
    assert [p.asnumpy().ravel().tolist() for p in parts] == [[0, 1], [2, 3], [4, 5]]
    (whole,) = split_data(nd.arange(3), 1)
    assert whole.shape == (3,)


def test_uneven_parts_and_other_axes():
    parts = split_data(nd.arange(5), 2, even_split=False)
    assert [p.shape for p in parts] == [(3,), (2,)]
    parts = split_data(nd.arange(10).reshape((2, 5)), 2, batch_axis=1, even_split=False)
    assert [p.asnumpy().tolist() for p in parts] == [[[0, 1, 2], [5, 6, 7]], [[3, 4], [8, 9]]]


def test_load():
    parts = split_and_load(np.arange(4), [mx.cpu(0), mx.cpu(1)])
    assert [(p.context, p.asnumpy().tolist()) for p in parts] == [
        (mx.cpu(0), [0, 1]),
        (mx.cpu(1), [2, 3]),
    ]


def test_errors():
    with pytest.raises(ValueError, match="cannot be evenly split into 2 slices"):
        split_data(nd.arange(5), 2)
    with pytest.raises(ValueError, match="Too many slices"):
        split_data(nd.arange(2), 3, even_split=False)
