import json

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, memory_stats, nd, random, sym
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError


def train(x, **attributes):
    """Return the result in training mode and the gradient of its sum."""
    x.attach_grad()
    with autograd.record():
        y = nd.Dropout(x, **attributes)
    y.backward()
    return y.asnumpy(), x.grad.asnumpy()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_fraction_is_dropped_and_rest_is_scaled(p, dtype):
    random.seed(3)
    count = 20_000
    y, grad = train(nd.ones((count,), dtype=dtype), p=p)
    np.testing.assert_allclose(sorted(set(y.tolist())), [0, 1 / (1 - p)], rtol=1e-3)
    # Five standard deviations of a binomial distribution.
    assert abs((y == 0).sum() - p * count) < 5 * (p * (1 - p) * count) ** 0.5
    assert np.array_equal(grad, y)


@pytest.mark.parametrize("p", [0.25, 0.5, 0.75])
def test_kept_elements_are_scaled(p):
    x = np.random.default_rng(1).standard_normal((50, 40)).astype("float32")
    y, grad = train(nd.array(x), p=p)
    np.testing.assert_allclose(y, x * grad, rtol=1e-6)
    assert np.allclose(y[grad != 0], x[grad != 0] / (1 - p))


def test_extreme_probabilities():
    x = nd.array([1.0, -2.0])
    for p, factor in ((0, 1), (1, 0)):
        y, grad = train(x, p=p)
        assert np.array_equal(y, x.asnumpy() * factor)
        assert np.array_equal(grad, np.full(2, factor))


def test_prediction_is_identity():
    x = nd.array(np.random.default_rng(1).standard_normal((30, 20)))
    assert np.array_equal(nd.Dropout(x, p=0.9).asnumpy(), x.asnumpy())
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = nd.Dropout(x, p=0.9)
    y.backward(x)
    assert np.array_equal(y.asnumpy(), x.asnumpy())
    assert np.array_equal(x.grad.asnumpy(), x.asnumpy())


def test_mode_always_drops_in_prediction():
    x = nd.ones((1000,))
    y = nd.Dropout(x, mode="always")
    assert set(y.asnumpy().tolist()) == {0, 2}
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = nd.Dropout(x, mode="always")
    y.backward()
    assert np.array_equal(x.grad.asnumpy(), y.asnumpy())


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), 1])
def test_elements_along_axes_are_dropped_together(axes):
    random.seed(5)
    y, grad = train(nd.ones((40, 30, 20)), axes=axes)
    shared = np.atleast_1d(axes)
    first = y.take([0], shared[0])
    for axis in shared[1:]:
        first = first.take([0], axis)
    assert np.array_equal(y, np.broadcast_to(first, y.shape))
    assert set(first.ravel().tolist()) == {0, 2}
    assert np.array_equal(grad, y)


def test_seed_determines_the_mask():
    x = nd.ones((300,))
    random.seed(7)
    first, second = train(x)[0], train(x)[0]
    random.seed(7)
    assert np.array_equal(train(x)[0], first)
    assert not np.array_equal(first, second)


def test_hybridized_layer_draws_the_same_masks():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dropout(0.5), gluon.nn.Dropout(0.25, axes=(0,)))
    x = nd.ones((20, 30))

    def twice():
        random.seed(11)
        with autograd.record():
            return [net(x).asnumpy() for _ in range(2)]

    imperative = twice()
    net.hybridize()
    assert np.array_equal(twice(), imperative)
    assert not np.array_equal(*imperative)
    assert np.array_equal(net(x).asnumpy(), x.asnumpy())


def test_symbol_drops_in_training_only():
    executor = sym.Dropout(sym.var("data"), name="drop").simple_bind(cpu(), data=(50, 40))
    ones = nd.ones((50, 40))
    (y,) = executor.forward(is_train=True, data=ones)
    y = y.asnumpy()
    executor.backward(ones)
    assert set(y.ravel().tolist()) == {0, 2}
    assert np.array_equal(executor.grad_dict["data"].asnumpy(), y)
    (y,) = executor.forward(is_train=False, data=ones)
    assert np.array_equal(y.asnumpy(), ones.asnumpy())


@pytest.mark.usefixtures("no_collector")
def test_executor_steps_allocate_no_memory():
    data = nd.ones((300, 200))
    dropped = sym.Dropout(sym.var("data") * 2)
    executor = dropped.simple_bind(cpu(), data=data.shape)

    def step():
        executor.forward(is_train=True, data=data)
        executor.backward(data)

    step()
    before = memory_stats()
    for _ in range(5):
        step()
    after = memory_stats()
    for key in ("system_allocations", "pool_hits", "live_bytes"):
        assert after[key] == before[key]


def test_saved_symbols_match_mxnet():
    attributes = {"axes": "(1,)", "cudnn_off": "True", "mode": "always", "p": "0.3"}
    made = sym.Dropout(
        sym.var("data"), p=0.3, axes=(1,), mode="always", cudnn_off=True, name="drop"
    )
    assert made.list_outputs() == ["drop_output"]
    assert made.get_internals().list_outputs() == ["data", "drop_output"]
    text = made.tojson()
    assert json.loads(text)["nodes"][1]["attrs"] == attributes
    # MXNet 1.9.1 writes the same attributes, but no list of required plugins.
    graph = json.loads(text)
    graph["attrs"] = {"mxnet_version": ["int", 10901]}
    assert sym.load_json(json.dumps(graph)).attr_dict()["drop"] == attributes


def test_invalid_arguments_are_rejected():
    x = nd.ones((2, 3))
    with pytest.raises(AttributeValueError, match=r"1.5 for Parameter p exceed bound \[0,1\]"):
        nd.Dropout(x, p=1.5)
    for axes in ((2,), (-1,)):
        with pytest.raises(ShapeError, match="expected axes from 0 to 1"):
            nd.Dropout(x, axes=axes)
    with pytest.raises(DTypeError, match="'data' has dtype int32; expected float32"):
        nd.Dropout(x.astype("int32"))


def test_layer():
    layer = gluon.nn.Dropout(0.3, axes=(1,))
    assert repr(layer) == "Dropout(p = 0.3, axes=(1,))"
    assert layer.name.startswith("dropout")
    assert not list(layer.collect_params())
    x = nd.ones((30, 20))
    with autograd.record():
        y = layer(x).asnumpy()
        kept = gluon.nn.Dropout(0)(x)
    np.testing.assert_allclose(sorted(set(y.ravel().tolist())), [0, 1 / 0.7], rtol=1e-6)
    assert (y == y[:, :1]).all()
    assert np.array_equal(kept.asnumpy(), x.asnumpy())
