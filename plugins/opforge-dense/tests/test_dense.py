import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.base.errors import MXNetError, ShapeError
from opforge.testing import check_forward, check_gradients, check_requests

RNG = np.random.default_rng(0)


def dense(x, w):
    return nd.dense(x, w, bias=0.5)


def test_forward():
    shapes = [
        [(4, 3), (5, 3)],
        [(1, 1), (1, 1)],
        [(0, 3), (5, 3)],
        [(2, 0), (5, 0)],
        [(64, 300), (70, 300)],
    ]
    tolerances = {"float32": 1e-4, "float64": 1e-12}
    count = check_forward(dense, lambda x, w: x @ w.T + 0.5, shapes, tolerances=tolerances)
    assert count == 2 * len(shapes)


def test_gradients_and_requests():
    inputs = [RNG.standard_normal((4, 3)), RNG.standard_normal((5, 3))]
    check_gradients(dense, inputs, order=2, rtol=1e-4)
    check_requests(dense, inputs)


@pytest.mark.parametrize("shapes", [((4, 3), (5, 4)), ((4,), (5, 4)), ((4, 3), (5, 3, 1))])
def test_wrong_shapes(shapes):
    with pytest.raises(ShapeError, match="dense"):
        nd.dense(nd.ones(shapes[0]), nd.ones(shapes[1]))


def test_bias_may_be_a_string_in_custom_calls():
    x, w = nd.ones((1, 2)), nd.ones((1, 2))
    assert nd.Custom(x, w, bias="0.5", op_type="dense").asscalar() == 2.5


def test_layer_infers_its_input_size():
    layer = gluon.nn.Dense(2)
    layer.initialize()
    assert layer.weight.shape == (2, 0)
    assert layer(nd.ones((4, 3))).shape == (4, 2)
    assert layer.weight.shape == (2, 3)
    assert repr(layer) == "Dense(3 -> 2, linear)"


def test_layer_matches_numpy():
    layer = gluon.nn.Dense(3, activation="relu", in_units=8)
    layer.initialize(init="normal")
    x = RNG.standard_normal((5, 2, 4)).astype("float32")
    w, b = layer.weight.data().asnumpy(), layer.bias.data().asnumpy()
    expected = np.maximum(x.reshape(5, 8) @ w.T + b, 0)
    np.testing.assert_allclose(layer(nd.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_layer_without_flatten_and_bias():
    layer = gluon.nn.Dense(3, use_bias=False, flatten=False)
    layer.initialize()
    assert layer(nd.ones((5, 2, 4))).shape == (5, 2, 3)
    assert layer.bias is None
    assert list(layer.collect_params().keys()) == [layer.prefix + "weight"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"units": -1}, "Dense: units is -1; expected an integer >= 0"),
        ({"units": "2"}, "units is '2'"),
        ({"units": 2.0}, "units is 2.0"),
        ({"units": 2, "in_units": -1}, "in_units is -1; expected an integer >= 0"),
    ],
)
def test_layer_rejects_invalid_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        gluon.nn.Dense(**arguments)


def test_layer_without_units_is_an_error_when_it_is_called():
    layer = gluon.nn.Dense(0, in_units=3)
    layer.initialize()
    with pytest.raises(MXNetError, match="num_hidden should be greater equal to 1"):
        layer(nd.ones((2, 3)))


def test_layer_accepts_numpy_integers():
    assert gluon.nn.Dense(np.int64(2), in_units=np.int32(3)).weight.shape == (2, 3)


def test_layer_trains():
    layer = gluon.nn.Dense(1)
    layer.initialize()
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.1})
    x = nd.array(RNG.standard_normal((64, 3)))
    y = nd.dot(x, nd.array([[1.0], [2.0], [-1.0]])) + 0.5
    for _ in range(200):
        with autograd.record():
            loss = ((layer(x) - y) ** 2).mean()
        loss.backward()
        trainer.step(1)
    np.testing.assert_allclose(layer.weight.data().asnumpy(), [[1, 2, -1]], atol=1e-2)
    np.testing.assert_allclose(layer.bias.data().asnumpy(), [0.5], atol=1e-2)


def test_parameter_names_match_mxnet():
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(2, activation="relu"), gluon.nn.Dense(1))
    assert list(net.collect_params().keys()) == [
        "net_dense0_weight",
        "net_dense0_bias",
        "net_dense1_weight",
        "net_dense1_bias",
    ]


def test_inputs_and_outputs_by_position_are_rejected():
    with pytest.raises(TypeError, match=r"activation is 16, .*: Dense\(16, in_units=30\)"):
        gluon.nn.Dense(30, 16)
