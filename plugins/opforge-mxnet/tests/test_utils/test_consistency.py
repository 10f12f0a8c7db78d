import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym, test_utils


def ways(*dtypes, shape=(3, 4)):
    return [{"ctx": mx.cpu(), "x": shape, "type_dict": {"x": dtype}} for dtype in dtypes]


def test_types_agree_within_the_coarsest_ones_tolerance():
    truth = test_utils.check_consistency(
        sym.tanh(sym.var("x"), name="y"), ways(np.float64, np.float32, np.float16)
    )
    assert truth["y_output"].dtype == np.float64
    assert set(truth) == {"y_output", "x"}
    given = {"x": np.ones((3, 4))}
    truth = test_utils.check_consistency(
        sym.exp(sym.var("x"), name="y"), ways("float32", "float64"), arg_params=given
    )
    assert np.allclose(truth["y_output"].asnumpy(), np.e)


def test_symbols_that_differ_are_found(capsys):
    x = sym.var("x")
    pair = [sym.exp(x, name="y"), sym.sin(x, name="y")]
    with pytest.raises(AssertionError, match="prediction: y_output"):
        test_utils.check_consistency(pair, ways("float32", "float32"), use_uniform=True)
    test_utils.check_consistency(pair, ways("float32", "float32"), raise_on_err=False)
    assert "training: x" in capsys.readouterr().err


def test_a_wrong_gradient_is_found():
    x = sym.var("x")
    pair = [sym.identity(x, name="y"), sym.BlockGrad(x, name="y")]
    with pytest.raises(AssertionError, match="training: x"):
        test_utils.check_consistency(pair, ways("float32", "float32"))
    test_utils.check_consistency(pair, ways("float32", "float32"), grad_req="null")


def test_a_given_truth():
    x = sym.var("x")
    doubled = {"y_output": nd.array([2.0, 4.0]), "x": nd.array([4.0, 8.0])}
    symbol = sym.elemwise_add(x, x, name="y")
    arguments = {"x": np.array([1.0, 2.0])}
    test_utils.check_consistency(
        symbol,
        ways("float32", "float64", shape=(2,)),
        arg_params=arguments,
        ground_truth=doubled,
    )
    doubled["x"][:] = 0
    with pytest.raises(AssertionError, match="training: x"):
        test_utils.check_consistency(
            symbol,
            ways("float32", "float64", shape=(2,)),
            arg_params=arguments,
            ground_truth=doubled,
        )
