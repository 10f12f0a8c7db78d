import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import ShapeError

RNG = np.random.default_rng(1)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


#: Operator -> (prediction, gradient of the loss as a function of prediction and label).
LOSSES = {
    "LinearRegressionOutput": (lambda x: x, lambda y, label: y - label),
    "LogisticRegressionOutput": (sigmoid, lambda y, label: y - label),
    "MAERegressionOutput": (lambda x: x, lambda y, label: np.sign(y - label)),
}


@pytest.fixture(params=sorted(LOSSES))
def name(request):
    return request.param


def run(name, x, label, head=None, **attributes):
    """Return the result and the gradients of data and label."""
    data, label = nd.array(x), nd.array(label)
    data.attach_grad()
    label.attach_grad()
    with autograd.record():
        y = getattr(nd, name)(data, label, **attributes)
    y.backward(head)
    return y.asnumpy(), data.grad.asnumpy(), label.grad.asnumpy()


@pytest.mark.parametrize(
    ("shape", "label_shape"),
    [
        ((4,), (4,)),
        ((4,), (4, 1)),
        ((4, 1), (4,)),
        ((4, 1), (4, 1)),
        ((4, 3), (4, 3)),
        ((2, 3, 2), (2, 3, 2)),
        ((2, 3, 2), (2, 6)),
    ],
)
def test_values_and_gradients(name, shape, label_shape):
    x, label = RNG.standard_normal(shape), RNG.standard_normal(label_shape)
    predict, slope = LOSSES[name]
    y, grad, label_grad = run(name, x, label, grad_scale=2.5)
    np.testing.assert_allclose(y, predict(x), rtol=1e-5)
    outputs_of_a_sample = x.size / shape[0]
    expected = slope(predict(x), label.reshape(shape)) * 2.5 / outputs_of_a_sample
    np.testing.assert_allclose(grad, expected, rtol=1e-5, atol=1e-6)
    assert not label_grad.any()


def test_gradients_match_the_losses(name):
    """Compare with difference quotients of the losses in float64."""
    losses = {
        "LinearRegressionOutput": lambda x, t: (x - t) ** 2 / 2,
        "LogisticRegressionOutput": lambda x, t: np.logaddexp(0, x) - t * x,
        "MAERegressionOutput": lambda x, t: abs(x - t),
    }
    x, label = RNG.standard_normal((3, 2)), RNG.uniform(size=(3, 2))
    step, loss = 1e-6, losses[name]
    expected = (loss(x + step, label) - loss(x - step, label)) / (2 * step) / 2
    np.testing.assert_allclose(run(name, x, label)[1], expected, rtol=1e-4, atol=1e-5)


def test_incoming_gradient_is_ignored(name):
    x, label = RNG.standard_normal((3, 2)), RNG.standard_normal((3, 2))
    alone = run(name, x, label)
    with_head = run(name, x, label, nd.full((3, 2), 100.0))
    assert np.array_equal(alone[1], with_head[1])


def test_absolute_error_of_equal_prediction_and_label():
    _, grad, _ = run("MAERegressionOutput", [[1.0, 2.0, 3.0]], [[1.0, 0.0, 5.0]], grad_scale=3)
    assert grad.tolist() == [[0, 1, -1]]


def test_labels_of_another_type_are_cast(name):
    x = nd.array([[1.0, 2.0]], dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = getattr(nd, name)(x, nd.array([[0, 1]], dtype="int32"))
    y.backward()
    assert x.grad.dtype == np.float64
    assert x.grad.asnumpy()[0, 0] > 0


@pytest.mark.parametrize("label_shape", [(4,), (12,), (3, 4), (4, 2)])
def test_labels_of_wrong_shape_are_rejected(name, label_shape):
    with pytest.raises(ShapeError, match=rf"{name}.*label has shape .*expected \(4, 3\)"):
        getattr(nd, name)(nd.zeros((4, 3)), nd.zeros(label_shape))


@pytest.mark.parametrize(
    ("shape", "label_shape"),
    [((4,), (4,)), ((4, 1), (4,)), ((4, 3), (4, 3)), ((2, 3, 2), (2, 3, 2))],
)
def test_symbol_names_its_label_and_infers_its_shape(name, shape, label_shape):
    made = getattr(sym, name)(sym.var("data"), name="lro")
    assert made.list_arguments() == ["data", "lro_label"]
    assert made.list_outputs() == ["lro_output"]
    assert made.infer_shape(data=shape) == ([shape, label_shape], [shape], [])
    assert made.infer_type(data="float64")[0] == [np.float64, np.float64]


def test_symbol_predicts_without_labels(name):
    made = getattr(sym, name)(sym.var("data"), name="lro")
    executor = made.simple_bind(mx.cpu(), grad_req="null", data=(4, 3))
    x = RNG.standard_normal((4, 3))
    (y,) = executor.forward(data=nd.array(x))
    np.testing.assert_allclose(y.asnumpy(), LOSSES[name][0](x), rtol=1e-5, atol=1e-6)


def fit(made, x, label, weight, epochs, rate, **options):
    """Return the weight of a linear model after training by `Module.fit`, in batches of 4."""
    iterator = mx.io.NDArrayIter(x, label, 4, label_name="out_label")
    module = mx.mod.Module(made, label_names=["out_label"])
    module.fit(
        iterator,
        eval_metric="mse",
        arg_params={"fc_weight": nd.array(weight)},
        optimizer="sgd",
        optimizer_params={"learning_rate": rate},
        num_epoch=epochs,
        **options,
    )
    return module.get_params()[0]["fc_weight"].asnumpy()


def test_fit_follows_the_formula(name):
    x = RNG.standard_normal((8, 3)).astype("float32")
    label = RNG.uniform(size=(8, 2)).astype("float32")
    start = RNG.standard_normal((2, 3)).astype("float32")
    fc = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    made = getattr(sym, name)(fc, name="out", grad_scale=3)
    predict, slope = LOSSES[name]
    weight = start.astype("float64")
    for _ in range(2):
        for rows in (slice(0, 4), slice(4, 8)):
            grad = slope(predict(x[rows] @ weight.T), label[rows]) * 3 / 2
            # Module divides by the size of the batch.
            weight = weight - 0.5 / 4 * grad.T @ x[rows]
    found = fit(made, x, label, start, epochs=2, rate=0.5)
    np.testing.assert_allclose(found, weight, rtol=1e-4, atol=1e-5)


def test_fit_recovers_the_linear_function():
    x = RNG.standard_normal((64, 3)).astype("float32")
    truth = np.array([[1.0, -2.0, 0.5]], dtype="float32")
    fc = sym.FullyConnected(sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    made = sym.LinearRegressionOutput(fc, name="out")
    found = fit(made, x, (x @ truth.T)[:, 0], np.zeros((1, 3)), epochs=20, rate=0.3)
    np.testing.assert_allclose(found, truth, atol=1e-3)


def test_hybridized_block_matches_eager(name):
    class Loss(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x, label):
            return getattr(F, name)(x * 2, label, grad_scale=2)

    block, results = Loss(), []
    label = nd.array(RNG.standard_normal((4, 3)))
    x = nd.array(RNG.standard_normal((4, 3)))
    x.attach_grad()
    for _ in range(2):
        with autograd.record():
            y = block(x, label)
        y.backward()
        results.append((y.asnumpy(), x.grad.asnumpy()))
        block.hybridize()
    for imperative, hybridized in zip(*results, strict=True):
        np.testing.assert_allclose(hybridized, imperative, rtol=1e-6)
