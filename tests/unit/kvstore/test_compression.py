"""Two bits a value: what arrives, what stays, and what cannot be compressed."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.kvstore.compression import TwoBitCompression


def test_what_is_left_is_sent_later_and_nothing_is_lost():
    """In the end all has arrived but less than what one more push would bring."""
    rng = np.random.default_rng(0)
    compress, given, arrived = TwoBitCompression(0.5), np.zeros(64), np.zeros(64)
    for _ in range(50):
        gradient = nd.array(rng.uniform(-0.4, 0.4, 64))
        given += gradient.asnumpy()
        sent = compress("w", gradient).asnumpy()
        assert set(np.unique(sent)) <= {-0.5, 0.0, 0.5}
        arrived += sent
    assert np.abs(given - arrived).max() < 0.5


def test_each_place_has_a_rest_of_its_own_and_the_gradient_stays():
    compress, gradient = TwoBitCompression(1), nd.array([0.75])
    sent = [compress(place, gradient).asscalar() for place in ("a", "b", "a", "b")]
    assert sent == [0, 0, 1, 1]
    assert gradient.asscalar() == 0.75


def test_mxnets_parameters():
    assert TwoBitCompression.from_params({"type": "2bit"}).threshold == 0.5
    assert TwoBitCompression.from_params({"type": "2bit", "threshold": "0.25"}).threshold == 0.25


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({}, mx.MXNetError, "got type None, expected '2bit'"),
        ({"type": "1bit"}, mx.MXNetError, "got type '1bit'"),
        ({"type": "2bit", "threshold": 0}, mx.MXNetError, "greater than 0, got 0"),
        ({"type": "2bit", "threshold": float("nan")}, mx.MXNetError, "greater than 0, got nan"),
        ({"type": "2bit", "threshold": float("inf")}, mx.MXNetError, "finite .*, got inf"),
        (None, TypeError, "got NoneType, expected a dict"),
    ],
)
def test_parameters_that_mean_nothing(params, error, message):
    with pytest.raises(error, match=message):
        TwoBitCompression.from_params(params)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_types_are_refused(dtype):
    with pytest.raises(mx.MXNetError, match=f"of 'w' is {dtype}, expected float32"):
        TwoBitCompression()("w", nd.ones(2, dtype=dtype))
