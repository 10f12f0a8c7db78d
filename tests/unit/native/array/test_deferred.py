"""Parameters whose shape is inferred by a call."""

import numpy as np
import pytest

from opforge import gluon, nd
from opforge.base.dtypes import NAMES, code_of, dtype_of
from opforge.base.errors import UnknownShapeError
from opforge.native.array import DeferredArray

DTYPES = [dtype_of(code) for code in range(len(NAMES))]


@pytest.mark.parametrize("dtype", DTYPES)
def test_known_properties(dtype):
    deferred = DeferredArray((4, 0), code_of(dtype), nd.zeros)
    assert deferred.shape == (4, 0)
    assert deferred.dtype is dtype
    assert deferred.complete((4, 3)).shape == (4, 3)


def test_call_completes_the_parameter_once():
    asked = []

    def complete(shape):
        asked.append(tuple(shape))
        return nd.ones(tuple(shape))

    weight = DeferredArray((2, 0), 0, complete)
    result = nd.FullyConnected(nd.ones((5, 3)), weight, num_hidden=2, no_bias=True)
    np.testing.assert_array_equal(result.asnumpy(), np.full((5, 2), 3))
    assert asked == [(2, 3)]


USES = {
    "right operand": lambda w: nd.ones((2,)) + w,
    "left operand": lambda w: w * 2,
    "in place": lambda w: nd.ones((2,)).__iadd__(w),
    "method": lambda w: w.sum(),
    "negative": lambda w: -w,
    "item": lambda w: w[0],
    "truth": lambda w: bool(w),
    "length": lambda w: len(w),
    "number": lambda w: float(w),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_use_as_an_array_raises_an_unknown_shape_error(use):
    with pytest.raises(UnknownShapeError, match=r"shape \(2, 0\) .*unknown"):
        use(DeferredArray((2, 0), 0, nd.ones))


def test_optional_attributes_can_be_queried():
    assert not hasattr(DeferredArray((0,), 0, nd.ones), "asnumpy")


@pytest.mark.parametrize("error", [TypeError, AttributeError])
def test_other_errors_of_a_block_are_unchanged(error):
    class Failing(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = self.params.get("weight", shape=(0, 2), allow_deferred_init=True)

        def hybrid_forward(self, F, x, weight):
            raise error("DeferredArray")

    block = Failing()
    block.initialize()
    with pytest.raises(error, match=r"^DeferredArray$"):
        block(nd.ones((1, 2)))
