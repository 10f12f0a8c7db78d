import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.base.numpy_semantics import np_shape
from opforge.gluon.parameter_loading import brief_list, check_names, load_into


def test_brief_list():
    assert brief_list("ab") == "'a', 'b'"
    assert brief_list(map(str, range(12)), 4) == "'0', '1', ..., '10', '11'"


@pytest.mark.parametrize("state", ["new", "deferred", "ready"])
def test_every_state(state):
    param = gluon.Parameter("w", shape=(2,) if state == "ready" else (0,), allow_deferred_init=True)
    if state != "new":
        param.initialize(ctx=mx.cpu(1))
    load_into(param, nd.array([1, 2]), None)
    assert param.data().asnumpy().tolist() == [1, 2]
    assert param.list_ctx() == [mx.cpu(0) if state == "new" else mx.cpu(1)]
    assert param.grad().shape == (2,)


def test_contexts():
    param = gluon.Parameter("w", shape=(2,))
    load_into(param, nd.array([1, 2]), [mx.cpu(1), mx.cpu(2)])
    assert param.list_ctx() == [mx.cpu(1), mx.cpu(2)]
    with pytest.raises(AssertionError, match="previous initialized on"):
        load_into(param, nd.array([1, 2]), mx.cpu(0))


@pytest.mark.parametrize("saved", [(3,), (2, 1)])
def test_shapes_must_fit(saved):
    param = gluon.Parameter("w", shape=(2,))
    with pytest.raises(AssertionError, match="shape incompatible expected"):
        load_into(param, nd.ones(saved), None)


def test_unknown_dimensions_take_those_of_the_file():
    with np_shape():
        for unknown in (0, -1):
            param = gluon.Parameter("w", shape=(2, unknown), allow_deferred_init=True)
            load_into(param, nd.ones((2, 3)), None)
            assert param.shape == (2, 3)


def test_dtypes():
    param = gluon.Parameter("w", shape=(2,))
    data = nd.ones((2,), dtype="float64")
    with pytest.raises(AssertionError, match="dtype incompatible"):
        load_into(param, data, None)
    load_into(param, data, None, cast_dtype=True)
    assert param.data().dtype is np.float32
    load_into(param, data, None, cast_dtype=True, dtype_source="saved")
    assert param.data().dtype is np.float64
    with pytest.raises(AssertionError, match="dtype_source must be"):
        load_into(param, data, None, cast_dtype=True, dtype_source="file")


def test_names_of_shared_parameters():
    shared, other = gluon.Parameter("w"), gluon.Parameter("v")
    params = {"0.w": shared, "1.w": shared, "2.v": other}
    check_names("f", ["1.w", "2.v"], params, False, False)
    with pytest.raises(AssertionError, match=r"Parameter '2\.v' is missing in file 'f'"):
        check_names("f", ["0.w"], params, False, False)
    with pytest.raises(ValueError, match="Parameter 'x' loaded from file 'f' is not present"):
        check_names("f", ["x"], params, True, False)
    check_names("f", ["x"], params, True, True)
