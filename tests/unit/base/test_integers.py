import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.integers import as_integer, as_integers


@pytest.mark.parametrize("value", [3, np.int8(3), True + 2, nd.array([3], dtype="int32")])
def test_integers_of_any_type(value):
    assert as_integer(value, "size") == 3


def test_integers_of_a_sequence():
    assert as_integers([np.int64(2), 3], "shape") == (2, 3)


@pytest.mark.parametrize("value", [3.9, 4.0, "3", None, np.float32(2)])
def test_other_values_are_rejected(value):
    with pytest.raises(TypeError, match=r"axis of f: .* is not an integer, which is expected here"):
        as_integer(value, "axis of f")


def test_floats_get_a_remedy():
    with pytest.raises(TypeError, match=r"divide integers by // instead of /"):
        as_integers((6 / 2, -1), "shape")


X = nd.zeros((2, 3))
DATA = mx.sym.Variable("data")


@pytest.mark.parametrize(
    "call",
    [
        lambda: X.reshape((3.9, 2)),
        lambda: X.reshape(-1.5),
        lambda: X.reshape(("3", 2)),
        lambda: DATA.infer_shape(data=(2.9, 3)),
        lambda: (DATA + 1).simple_bind(mx.cpu(), data=(2.9, 3)),
        lambda: mx.Context("cpu", 0.9),
        lambda: nd.arange(0, 4, repeat=1.9),
        lambda: nd.zeros((2.5, 3)),
        lambda: nd.random.uniform(shape=(2.5,)),
        lambda: nd.sparse.zeros("csr", (2.5, 3)),
        lambda: mx.engine.set_bulk_size(2.5),
        lambda: mx.engine.set_num_threads(1.5),
        lambda: mx.gluon.Parameter("weight", shape=(2.5, 3)),
        lambda: mx.io.NDArrayIter(X, batch_size=1.5),
        lambda: mx.metric.TopKAccuracy(1.5),
        lambda: autograd.set_recording(0.5),
        lambda: autograd.set_training(0.5),
    ],
)
def test_functions_reject_other_numbers(call):
    with pytest.raises(TypeError):
        call()
