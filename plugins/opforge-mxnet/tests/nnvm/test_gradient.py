"""`FGradient`: helpers that need inputs, outputs or nothing, and custom functions."""

import numpy as np
import pytest

import opforge as mx
from opforge.op import nnvm


def unary(name, function, gradient):
    return (
        nnvm.register_op(name)
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr("FCompute<cpu>", nnvm.unary_compute(function))
        .set_attr("FGradient", gradient)
    )


def gradient_of(name, x, **attributes):
    """Return the recorded gradient and the executor's, which must agree."""
    data = mx.nd.array(x)
    data.attach_grad()
    with mx.autograd.record():
        y = getattr(mx.nd, name)(data, **attributes)
    y.backward()
    executor = getattr(mx.sym, name)(mx.sym.var("x"), **attributes).simple_bind(
        mx.cpu(), x=data.shape
    )
    executor.forward(is_train=True, x=data)
    executor.backward(mx.nd.ones(y.shape))
    compiled = executor.grad_dict["x"].asnumpy()
    np.testing.assert_allclose(compiled, data.grad.asnumpy(), rtol=1e-6)
    return compiled.tolist()


def test_use_in():
    unary("test_grad_in", np.square, nnvm.elemwise_grad_use_in("_backward_test_grad_in"))
    (
        nnvm.register_op("_backward_test_grad_in")
        .set_num_inputs(2)
        .set_attr("FInferShape", nnvm.elemwise_shape(2, 1))
        .set_attr("FCompute<cpu>", nnvm.binary_compute(lambda dy, x: dy * 2 * x))
    )
    assert gradient_of("test_grad_in", [1.0, -3.0]) == [2, -6]


def test_use_out():
    unary("test_grad_out", np.sqrt, nnvm.elemwise_grad_use_out("_backward_test_grad_out"))
    (
        nnvm.register_op("_backward_test_grad_out")
        .set_num_inputs(2)
        .set_attr("FInferShape", nnvm.elemwise_shape(2, 1))
        .set_attr("FCompute<cpu>", nnvm.binary_compute(lambda dy, y: dy / 2 / y))
    )
    assert gradient_of("test_grad_out", [4.0, 16.0]) == [0.25, 0.125]


def test_use_none_hands_attributes_on():
    def scaled(attrs, ctx, inputs, req, outputs):
        nnvm.assign(outputs[0], req[0], inputs[0] * attrs.parsed.factor)

    for name in ("test_grad_none", "_backward_test_grad_none"):
        (
            nnvm.register_op(name)
            .add_argument("factor", "float, required")
            .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
            .set_attr("FCompute<cpu>", scaled)
        )
    nnvm.register_op("test_grad_none").set_attr(
        "FGradient", nnvm.elemwise_grad_use_none("_backward_test_grad_none")
    )
    assert gradient_of("test_grad_none", [1.0, 2.0], factor="2.5") == [2.5, 2.5]


def test_only_needed_arrays_are_kept():
    assert nnvm.elemwise_grad_use_in("_backward_abs").saves == ("inputs",)
    assert nnvm.elemwise_grad_use_out("_backward_abs").saves == ("outputs",)
    assert nnvm.elemwise_grad_use_none("_backward_abs").saves == ()
    assert nnvm.elemwise_grad_use_none("not_registered_yet").saves == ()


def test_zero_gradients():
    unary("test_grad_zero", np.sign, nnvm.make_zero_grad_nodes)
    assert gradient_of("test_grad_zero", [1.0, -2.0]) == [0, 0]


def test_a_function_composes_nodes():
    def gradient(node, ograds):
        assert node.attrs.op == "test_grad_own"
        (doubled,) = nnvm.make_grad_node("_mul_scalar", node, [node.inputs[0]], {"scalar": 2})
        return nnvm.make_grad_node("elemwise_mul", node, [ograds[0], doubled])

    unary("test_grad_own", np.square, gradient)
    assert gradient_of("test_grad_own", [1.0, -3.0]) == [2, -6]


def test_a_composed_gradient_can_be_differentiated_again():
    def gradient(node, ograds):
        return [ograds[0] * node.inputs[0] * 2]

    unary("test_grad_twice", np.square, gradient)
    x = mx.nd.array([3.0])
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.test_grad_twice(x)
        (first,) = mx.autograd.grad(y, [x], create_graph=True)
    first.backward()
    assert (first.asscalar(), x.grad.asscalar()) == (6, 2)


def test_backward_operators_copy_shapes_from_the_forward_node():
    """The sum of two columns: neither gradient has the shape of its operands."""

    def infer(attrs, in_shapes, out_shapes):
        out_shapes[0] = in_shapes[0][:1]
        return True

    def forward(attrs, ctx, inputs, req, outputs):
        a, b = (item.asnumpy() for item in inputs)
        nnvm.assign(outputs[0], req[0], a.sum(1) + b.sum(1))

    def backward(attrs, ctx, inputs, req, outputs):
        assert len(inputs) == 1  # the operand that only provides its shape is not visible
        for out, wanted in zip(outputs, req, strict=True):
            nnvm.assign(out, wanted, inputs[0].asnumpy()[:, None] + np.zeros(out.shape))

    (
        nnvm.register_op("test_copies")
        .set_num_inputs(2)
        .set_attr("FInferShape", infer)
        .set_attr("FCompute<cpu>", forward)
        .set_attr("FGradient", nnvm.elemwise_grad_use_none("_backward_test_copies"))
    )
    (
        nnvm.register_op("_backward_test_copies")
        .set_num_outputs(2)
        .set_attr("TIsBackward", True)
        .set_attr("FCompute<cpu>", backward)
    )
    a, b = mx.nd.ones((2, 3)), mx.nd.ones((2, 5))
    a.attach_grad()
    b.attach_grad()
    with mx.autograd.record():
        y = mx.nd.test_copies(a, b)
    y.backward(mx.nd.array([1.0, 2.0]))
    assert y.asnumpy().tolist() == [8, 8]
    assert a.grad.asnumpy().tolist() == [[1] * 3, [2] * 3]
    assert b.grad.asnumpy().tolist() == [[1] * 5, [2] * 5]
    graph = mx.sym.test_copies(mx.sym.var("a"), mx.sym.var("b"))
    executor = graph.simple_bind(mx.cpu(), a=(2, 3), b=(2, 5))
    executor.forward(is_train=True, a=a, b=b)
    executor.backward(mx.nd.array([1.0, 2.0]))
    assert executor.grad_dict["b"].asnumpy().tolist() == [[1] * 5, [2] * 5]


def test_one_that_copies_shapes_is_not_called_alone():
    nnvm.register_op("_backward_test_alone").set_attr("TIsBackward", True)
    with pytest.raises(mx.MXNetError, match="call it through make_grad_node"):
        mx.nd._backward_test_alone(mx.nd.ones((2,)))


def test_one_with_its_own_inference_copies_nothing():
    op = nnvm.register_op("_backward_test_infers").set_attr("TIsBackward", True)
    assert op.declaration.copies_shapes
    op.set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
    assert not op.declaration.copies_shapes
    assert mx.operator.get_operator_arguments("_backward_test_infers").names == ["data"]


def test_without_a_gradient_the_error_says_so():
    nnvm.register_op("test_no_grad").set_attr("FInferShape", nnvm.elemwise_shape(1, 1)).set_attr(
        "FCompute<cpu>", nnvm.unary_compute(np.abs)
    )
    x = mx.nd.ones((2,))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.test_no_grad(x)
    with pytest.raises(mx.MXNetError, match=r"'test_no_grad' is not differentiable.*FGradient"):
        y.backward()
