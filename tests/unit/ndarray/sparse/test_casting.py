import numpy as np
import pytest

from opforge import nd


def test_cast_storage(values, stype):
    x = nd.array(values)
    y = nd.cast_storage(x, stype)
    assert y.stype == stype and nd.cast_storage(y, stype) is not y
    for back in (nd.cast_storage(y, "default"), nd.cast_storage(x, "default")):
        np.testing.assert_array_equal(back.asnumpy(), values)
    out = nd.zeros((4, 3))
    assert nd.cast_storage(y, "default", out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), values)


def test_invalid_arguments_are_named():
    with pytest.raises(ValueError, match="unknown storage type 'coo'"):
        nd.cast_storage(nd.ones((1, 1)), "coo")
    with pytest.raises(TypeError, match="must be an NDArray, got list"):
        nd.cast_storage([[1]], "csr")
