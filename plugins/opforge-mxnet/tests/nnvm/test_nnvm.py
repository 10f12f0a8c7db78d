"""The registration in MXNet's guide: `abs` and its gradient, in every execution mode."""

import numpy as np
import pytest

import opforge as mx
from opforge.plugin_api import nnvm

(
    nnvm.register_op("abs_of_the_guide")
    .describe("Take absolute value of the src")
    .set_num_inputs(1)
    .set_num_outputs(1)
    .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
    .set_attr("FInferType", nnvm.elemwise_type(1, 1))
    .set_attr("FInplaceOption", lambda attrs: [(0, 0)])
    .set_attr("FCompute<cpu>", nnvm.unary_compute(np.abs))
    .set_attr("FGradient", nnvm.elemwise_grad_use_in("_backward_abs_of_the_guide"))
    .add_argument("data", "NDArray", "Source input")
)
(
    nnvm.register_op("_backward_abs_of_the_guide")
    .set_num_inputs(2)
    .set_num_outputs(1)
    .set_attr("FInferShape", nnvm.elemwise_shape(2, 1))
    .set_attr("FInferType", nnvm.elemwise_type(2, 1))
    .set_attr("FInplaceOption", lambda attrs: [(0, 0), (1, 0)])
    .set_attr("FCompute<cpu>", nnvm.binary_compute(nnvm.unary_bwd(np.sign)))
)
X = np.array([[-2.0, 0.0, 3.0]], np.float32)


def test_imperative():
    y = mx.nd.abs_of_the_guide(mx.nd.array(X))
    assert y.asnumpy().tolist() == np.abs(X).tolist()
    assert mx.nd.Custom(mx.nd.array(X), op_type="abs_of_the_guide").shape == (1, 3)


def test_recorded():
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.abs_of_the_guide(x) * 2
    y.backward()
    assert x.grad.asnumpy().tolist() == (2 * np.sign(X)).tolist()


def test_symbol_and_executor():
    y = mx.sym.abs_of_the_guide(mx.sym.exp(mx.sym.var("x")) - 1, name="y")
    assert y.list_outputs() == ["y_output"]
    assert y.infer_shape(x=(1, 3))[1] == [(1, 3)]
    executor = y.simple_bind(mx.cpu(), x=(1, 3))
    executor.arg_dict["x"][:] = X
    out = executor.forward(is_train=True)[0].asnumpy()
    np.testing.assert_allclose(out, np.abs(np.exp(X) - 1), rtol=1e-6)
    executor.backward(mx.nd.ones((1, 3)))
    want = np.sign(X) * np.exp(X)
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), want, rtol=1e-6)


def test_hybridized():
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.abs_of_the_guide(x) + F.abs_of_the_guide(x * 2)

    net = Net()
    net.hybridize()
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    assert y.asnumpy().tolist() == (3 * np.abs(X)).tolist()
    assert x.grad.asnumpy().tolist() == (3 * np.sign(X)).tolist()


def test_saved_and_loaded():
    y = mx.sym.abs_of_the_guide(mx.sym.var("x"), name="y")
    again = mx.sym.load_json(y.tojson())
    assert again.list_outputs() == ["y_output"]
    assert again.eval(x=mx.nd.array(X))[0].asnumpy().tolist() == np.abs(X).tolist()


def test_attributes_are_saved_and_loaded():
    def compute(attrs, ctx, inputs, req, outputs):
        nnvm.assign(outputs[0], req[0], inputs[0] * attrs.parsed)

    (
        nnvm.register_op("test_saved_scale")
        .add_argument("data", "NDArray")
        .add_argument("scalar", "float, required")
        .set_attr_parser(lambda attrs: float(attrs.dict["scalar"]))
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr("FCompute<cpu>", compute)
    )
    y = mx.sym.load_json(mx.sym.test_saved_scale(mx.sym.var("x"), scalar=2.5).tojson())
    assert y.eval(x=mx.nd.ones((1,)))[0].asscalar() == 2.5


def test_documentation_and_arguments():
    assert mx.nd.abs_of_the_guide.__doc__.startswith("Take absolute value of the src")
    assert "Source input" in mx.nd.abs_of_the_guide.__doc__
    found = mx.operator.get_operator_arguments("abs_of_the_guide")
    assert (found.names, found.types) == (["data"], ["NDArray-or-Symbol"])
    assert "abs_of_the_guide" in mx.operator.get_all_registered_operators()


def test_the_gradient_cannot_be_differentiated_and_says_so():
    x = mx.nd.array(X)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.abs_of_the_guide(x)
        (first,) = mx.autograd.grad(y, [x], create_graph=True)
    with pytest.raises(mx.MXNetError, match="'_backward_abs_of_the_guide' is not differentiable"):
        first.backward()
