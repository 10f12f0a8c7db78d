"""Functions that take numbers on either side, and functions that rearrange."""

import numpy as np
import pytest

from opforge import nd
from opforge.std.two_sided import TWO_SIDED

VALUES = np.array([[-2.0, 0.5, 3.0], [1.0, 2.0, -1.5]])
OTHER_REFERENCES = {
    "lesser": np.less,
    "lesser_equal": np.less_equal,
    "modulo": np.mod,
    "power": lambda a, b: np.power(np.abs(a), b),
}
FUNCTIONS = {
    name: OTHER_REFERENCES.get(name) or getattr(np, name) for name in [*TWO_SIDED, "true_divide"]
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_mixture_of_arrays_and_numbers(name):
    function, reference = getattr(nd, name), FUNCTIONS[name]
    values = np.abs(VALUES) if name == "power" else VALUES
    x, row = nd.array(values, dtype="float64"), nd.array(values[1], dtype="float64")
    pairs = [
        (function(x, row), reference(values, values[1])),
        (function(x, 2.0), reference(values, 2.0)),
        (function(2.0, x), reference(2.0, values)),
    ]
    for have, want in pairs:
        np.testing.assert_allclose(have.asnumpy(), np.asarray(want, dtype=float))
    assert float(function(3.0, 2.0)) == pytest.approx(float(reference(3.0, 2.0)))


def test_other_types_are_rejected():
    for call in (
        lambda: nd.add(nd.zeros(2), np.zeros(2)),
        lambda: nd.maximum([1], nd.zeros(2)),
        lambda: nd.equal("a", 1),
    ):
        with pytest.raises(TypeError, match="NDArrays and numbers"):
            call()


def test_concatenate():
    x = nd.ones((1, 2))
    assert nd.concatenate([x, x]).shape == (2, 2)
    assert nd.concatenate([x, x], axis=1).shape == (1, 4)
    assert nd.concatenate([x], always_copy=False) is x
    assert nd.concatenate([x]) is not x
    with pytest.raises(ValueError, match="at least one"):
        nd.concatenate([])


@pytest.mark.parametrize(
    ("source", "destination"), [(0, 2), (-1, 0), ([0, 1], [2, 0]), ([0, 2], [-1, -2]), (1, 1)]
)
def test_moveaxis(source, destination):
    values = np.arange(24.0).reshape(2, 3, 4)
    have = nd.moveaxis(nd.array(values), source, destination)
    np.testing.assert_array_equal(have.asnumpy(), np.moveaxis(values, source, destination))


@pytest.mark.parametrize(
    ("source", "destination", "words"),
    [(3, 0, "out of bounds"), ([0, 0], [1, 2], "twice"), ([0, 1], [0], "same number")],
)
def test_moveaxis_errors(source, destination, words):
    with pytest.raises(ValueError, match=words):
        nd.moveaxis(nd.zeros((2, 3, 4)), source, destination)


def test_onehot_encode():
    out = nd.zeros((2, 3))
    assert nd.onehot_encode(nd.array([2, 0]), out) is out
    assert out.asnumpy().tolist() == [[0, 0, 1], [1, 0, 0]]


def test_waitall_returns():
    assert nd.waitall() is None


def test_power_by_mxnets_names():
    assert nd.power(base=nd.array([2.0, 3.0]), exp=2).asnumpy().tolist() == [4, 9]
    assert nd.power(base=2, exp=nd.array([2.0, 3.0])).asnumpy().tolist() == [4, 8]
    assert nd.power(2, exp=3) == 8


def test_reset_arrays_sets_all_to_zero():
    arrays = [nd.ones(3), nd.ones((2, 2), dtype="float16")]
    nd.reset_arrays(*arrays, num_arrays=2)
    assert [float(x.sum().asscalar()) for x in arrays] == [0, 0]
    with pytest.raises(ValueError, match="num_arrays is 3, got 2 arrays"):
        nd.reset_arrays(*arrays, num_arrays=3)
    with pytest.raises(TypeError, match="array 1"):
        nd.reset_arrays(arrays[0], 5)
