import numpy as np
import pytest

from opforge import autograd, cpu, nd, sym
from opforge.gluon import nn

X = np.array([[0.2, 0.4], [0.9, 0.3], [0.1, 0.8]])
AVERAGE = np.array([0.25, 0.5])
HEAD = np.array([[1, 2], [3, 4], [5, 6.0]])


def gradient(average, sparseness_target=0.1, penalty=0.001):
    both = (1 - sparseness_target) / (1 - average) - sparseness_target / average
    return HEAD + penalty * both


@pytest.mark.parametrize(("dtype", "rtol"), [("float16", 2e-3), ("float32", 1e-6), ("float64", 0)])
@pytest.mark.parametrize(
    "attributes",
    [{}, {"penalty": 2, "sparseness_target": 0.3, "momentum": 0.25}, {"momentum": 1}],
)
def test_gradient_and_average(attributes, dtype, rtol):
    x, average = nd.array(X, dtype=dtype), nd.array(AVERAGE, dtype=dtype)
    x.attach_grad("add")
    x.grad[:] = 1
    with autograd.record():
        y = nd.IdentityAttachKLSparseReg(x, average, **attributes)
    np.testing.assert_array_equal(average.asnumpy(), AVERAGE)
    y.backward(nd.array(HEAD, dtype=dtype))
    np.testing.assert_array_equal(y.asnumpy(), x.asnumpy())
    momentum = attributes.get("momentum", 0.9)
    expected = momentum * AVERAGE + (1 - momentum) * X.mean(0)
    np.testing.assert_allclose(average.asnumpy(), expected, rtol=rtol + 1e-12)
    rest = {key: value for key, value in attributes.items() if key != "momentum"}
    grads = 1 + gradient(expected, **rest)
    np.testing.assert_allclose(x.grad.asnumpy(), grads, rtol=rtol + 1e-12)


def test_predictions_leave_the_average_unchanged():
    x, average = nd.array(X), nd.array(AVERAGE)
    y = nd.IdentityAttachKLSparseReg(x, average)
    np.testing.assert_array_equal(y.asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(average.asnumpy(), AVERAGE)


def test_an_empty_batch_has_no_mean():
    x, average = nd.zeros((0, 2)), nd.array(AVERAGE)
    x.attach_grad()
    with autograd.record():
        y = nd.IdentityAttachKLSparseReg(x, average)
    y.backward()
    assert (y.shape, x.grad.shape) == ((0, 2), (0, 2))
    np.testing.assert_array_equal(average.asnumpy(), AVERAGE)


@pytest.mark.parametrize("shape", [(3,), (2, 3, 2)])
def test_data_that_is_not_a_matrix(shape):
    with pytest.raises(ValueError, match=r"expected \(n, features\)\. Reshape it"):
        nd.IdentityAttachKLSparseReg(nd.zeros(shape), nd.zeros((2,)))


@pytest.mark.parametrize("name", ["sparseness_target", "momentum"])
@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_attributes_are_fractions(name, value):
    with pytest.raises(ValueError, match=rf"Parameter {name} exceed bound \[0,1\]"):
        nd.IdentityAttachKLSparseReg(nd.zeros((2, 2)), nd.zeros((2,)), **{name: value})


def test_symbols_create_an_average_of_zeros():
    y = sym.IdentityAttachKLSparseReg(sym.var("data"), name="k", penalty=2)
    assert (y.list_arguments(), y.list_auxiliary_states()) == (["data"], ["k_moving_avg"])
    assert y.attr_dict()["k_moving_avg"]["__init__"] == '["zero", {}]'
    assert y.infer_shape(data=(3, 2)) == ([(3, 2)], [(3, 2)], [(2,)])
    executor = y.simple_bind(cpu(), data=(3, 2))
    executor.forward(is_train=True, data=nd.array(X))
    executor.backward(nd.array(HEAD))
    average = X.mean(0) * 0.1
    np.testing.assert_allclose(executor.aux_dict["k_moving_avg"].asnumpy(), average, rtol=1e-6)
    grad = executor.grad_dict["data"].asnumpy()
    np.testing.assert_allclose(grad, gradient(average, penalty=2), rtol=1e-5)


def test_hybridized():
    class Sparse(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.average = self.params.get(
                    "average", grad_req="null", shape=(2,), init="zeros", differentiable=False
                )

        def hybrid_forward(self, F, x, average):
            return F.IdentityAttachKLSparseReg(x, average)

    block = Sparse()
    block.initialize()
    block.hybridize()
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = block(x)
    y.backward(nd.array(HEAD))
    average = X.mean(0) * 0.1
    np.testing.assert_allclose(block.average.data().asnumpy(), average, rtol=1e-6)
    np.testing.assert_allclose(x.grad.asnumpy(), gradient(average), rtol=1e-6)
