"""Two bits a value: what arrives, what stays, and what cannot be compressed."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.kvstore.compression import TwoBitCompression
from opforge.native.calls import pack_two_bits


def test_residuals_are_sent_later():
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


def test_residuals_are_per_slot_and_gradients_unchanged():
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
        ({}, mx.MXNetError, "got type None; expected '2bit'"),
        ({"type": "1bit"}, mx.MXNetError, "got type '1bit'"),
        ({"type": "2bit", "threshold": 0}, mx.MXNetError, "greater than 0; got 0"),
        ({"type": "2bit", "threshold": float("nan")}, mx.MXNetError, "greater than 0; got nan"),
        ({"type": "2bit", "threshold": float("inf")}, mx.MXNetError, "finite .*; got inf"),
        (None, TypeError, "got NoneType; expected a dict"),
    ],
)
def test_parameters_that_mean_nothing(params, error, message):
    with pytest.raises(error, match=message):
        TwoBitCompression.from_params(params)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_types_are_rejected(dtype):
    with pytest.raises(mx.MXNetError, match=f"of 'w' is {dtype}; expected float32"):
        TwoBitCompression()("w", nd.ones(2, dtype=dtype))


#: What MXNet 1.9.1 sends of these values three times in a row, and what it keeps, as float32.
_VALUES = [0.5, -0.5, 0.25, -0.7, 0.499, -0.499, 2, -3, 0, 0.1, 0.6, 0.7, -0.6, -0.1, 0.9, -0.9]
_VALUES += [0.5, 0.3, -0.8]
_SENT = ("e20e0f8ec8000000", "eeee0f8ef8000000", "e2ee0f8ec8000000")
_KEPT = (
    "00000000000000000000803e989919bfca76fe3eca76febe000090400000f0c0000000009a99"
    "993e9c99993e9899193f9c9999be9a9999be9999993f999999bf00000000cecccc3e686666bf"
)


def test_bits_are_mxnets():
    """Two bits a value, the first one highest: 11 is the threshold, 10 its negative."""
    gradient = nd.array(_VALUES)
    rest, words = nd.zeros(gradient.shape), nd.zeros(2, dtype="int32")
    for sent in _SENT:
        pack_two_bits(gradient, rest, words, 0.5)
        assert words.asnumpy().tobytes().hex() == sent
    assert rest.asnumpy().tobytes().hex() == _KEPT


def test_a_store_of_two_devices_equals_mxnets():
    """What arrives of each device is added; each keeps a rest of its own."""
    store = mx.kvstore.create("device")
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    store.init("w", nd.zeros(6))
    found = []
    for _ in range(3):
        values = np.float32([0.3, 0.6, -0.7, 1.2, -0.2, 0.5])
        store.push("w", [nd.array(values * (1 + d), mx.cpu(d)) for d in range(2)])
        store.pull("w", out := nd.zeros(6))
        found.append(out.asnumpy().tolist())
    assert found == [
        [0.5, 1, -1, 1, 0, 1],
        [1, 1, -1, 1, -0.5, 1],
        [0.5, 1, -1, 1, -1, 1],
    ]
