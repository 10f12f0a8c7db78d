import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.errors import OpforgeError
from opforge.cli.networks.files import Network
from opforge.cli.networks.request_inputs import make_inputs


def make_network(**settings):
    x, w = sym.var("x", **settings), sym.var("w")
    net = sym.dot(x, w) + 0 * sym.broadcast_add(sym.var("a_label"), sym.zeros((1, 2)))
    return Network(net, {"w": nd.ones((3, 2))})


def test_random_inputs_and_labels_of_zeros():
    inputs = make_inputs(make_network(), {}, {"x": (4, 3), "a_label": (4, 2)})
    assert list(inputs) == ["x", "a_label"]
    assert inputs["x"].shape == (4, 3) and inputs["x"].dtype == np.float32
    assert inputs["x"].min() >= 0 and inputs["x"].max() <= 1 and np.unique(inputs["x"]).size > 1
    assert not inputs["a_label"].any()
    again = make_inputs(make_network(), {}, {"x": (4, 3), "a_label": (4, 2)})
    np.testing.assert_array_equal(inputs["x"], again["x"])


def test_shapes_of_labels_are_inferred():
    net = sym.exp(sym.var("x")) + sym.var("label")
    assert make_inputs(Network(net, {}), {}, {"x": (4, 3)}, 5)["label"].shape == (5, 3)


def test_declared_shapes_and_types():
    net = sym.cast(sym.var("x", shape=(2, 3), dtype="int32"), dtype="float32")
    (array,) = make_inputs(Network(net, {}), {}, {}).values()
    assert array.shape == (2, 3) and array.dtype == np.int32
    assert set(np.unique(array)) <= {0, 1}
    net = sym.exp(sym.var("x", shape=(0, 3), dtype="float16"))
    (array,) = make_inputs(Network(net, {}), {}, {}, batch=5).values()
    assert array.shape == (5, 3) and array.dtype == np.float16


def test_a_batch_repeats_rows_of_given_arrays():
    network = Network(sym.exp(sym.var("x")), {})
    given = {"x": np.arange(6).reshape(2, 3)}
    (array,) = make_inputs(network, given, {}, batch=3).values()
    assert array.tolist() == [[0, 1, 2], [3, 4, 5], [0, 1, 2]] and array.dtype == np.float32
    (array,) = make_inputs(network, given, {}).values()
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_missing_and_wrong_shapes():
    network = Network(sym.exp(sym.var("x")), {})
    with pytest.raises(OpforgeError, match=r"the shape of the input 'x' is unknown; pass --shape"):
        make_inputs(network, {}, {})
    with pytest.raises(OpforgeError, match=r"--shape z=...: expected one of the inputs x"):
        make_inputs(network, {}, {"z": (2,)})
