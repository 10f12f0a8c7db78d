"""NumPy arrays in pool memory: all types, and ownership."""

import gc

import numpy as np
import pytest

import opforge
from opforge import nd
from opforge.base.dtypes import NAMES
from opforge.native import array


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (70, 500)])
def test_views_and_copies_have_type_and_shape(name, shape):
    source = np.ones(shape, name)
    x = array.from_numpy(source, NAMES.index(name))
    for made in (array.numpy_alias(x), x.asnumpy()):
        assert (made.dtype, made.shape) == (source.dtype, source.shape)
        np.testing.assert_array_equal(made, source)


def test_views_keep_the_memory_and_not_the_array():
    x = nd.array([1.0, 2.0])
    alias = array.numpy_alias(x)
    del x
    assert alias.tolist() == [1, 2]


def test_large_copies_come_from_the_pool():
    x = nd.ones((1 << 16,))
    gc.collect()
    before = opforge.memory_stats()["lent_bytes"]
    copy = x.asnumpy()
    assert opforge.memory_stats()["lent_bytes"] >= before + copy.nbytes
    del copy
    assert opforge.memory_stats()["lent_bytes"] == before
