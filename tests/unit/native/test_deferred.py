"""Parameters whose shape a call will settle."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.dtypes import DTYPES, code_of
from opforge.native.deferred import DeferredArray


@pytest.mark.parametrize("dtype", DTYPES)
def test_it_says_what_is_known(dtype):
    deferred = DeferredArray((4, 0), code_of(dtype), nd.zeros)
    assert deferred.shape == (4, 0)
    assert deferred.dtype is dtype
    assert deferred.complete((4, 3)).shape == (4, 3)


def test_a_call_completes_it_once_with_the_full_shape():
    asked = []

    def complete(shape):
        asked.append(tuple(shape))
        return nd.ones(tuple(shape))

    weight = DeferredArray((2, 0), 0, complete)
    result = nd.FullyConnected(nd.ones((5, 3)), weight, num_hidden=2, no_bias=True)
    np.testing.assert_array_equal(result.asnumpy(), np.full((5, 2), 3))
    assert asked == [(2, 3)]


def test_it_is_no_array():
    with pytest.raises(TypeError):
        nd.ones((2,)) + DeferredArray((2,), 0, nd.ones)
