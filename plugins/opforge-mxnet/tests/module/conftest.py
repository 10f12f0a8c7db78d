"""Networks of core operators for the tests of modules."""

import numpy as np
import pytest

import opforge as mx


class _Softmax(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x_nc = in_data[0].asnumpy()
        y_nc = np.exp(x_nc - x_nc.max(axis=1, keepdims=True))
        self.assign(out_data[0], req[0], y_nc / y_nc.sum(axis=1, keepdims=True))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        label_n = in_data[1].asnumpy().astype(int)
        dx_nc = out_data[0].asnumpy()
        dx_nc[np.arange(len(label_n)), label_n] -= 1
        self.assign(in_grad[0], req[0], dx_nc)


@mx.operator.register("module_tests_softmax")
class _SoftmaxProp(mx.operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=False)

    def list_arguments(self):
        return ["data", "label"]

    def infer_shape(self, in_shape):
        return [in_shape[0], in_shape[0][:1]], [in_shape[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return _Softmax()


def classifier(**variables):
    """Return a symbol: a dense layer of 3 units with softmax as loss."""
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc", **variables)
    return mx.sym.Custom(fc, name="softmax", op_type="module_tests_softmax")


def bound(**settings):
    """Return a bound and initialised classifier of 4 samples with 2 numbers each."""
    made = mx.mod.Module(classifier(), **settings)
    made.bind([("data", (4, 2))], [("softmax_label", (4,))])
    made.init_params(mx.init.One())
    return made


# Fixtures give functions: what they gave themselves would outlive the check for leaks.
@pytest.fixture
def net():
    return classifier


@pytest.fixture
def make_module():
    return bound


@pytest.fixture
def samples():
    """40 samples that a dense layer can tell apart, and their classes."""
    random = np.random.default_rng(0)
    label_n = np.arange(40) % 3
    centres_co = np.array([[3, 0], [-2, 2], [-2, -2]])
    return centres_co[label_n] + random.normal(0, 0.4, (40, 2)), label_n
