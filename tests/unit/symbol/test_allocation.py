"""Arrays of `simple_bind`: new, of another executor, on the device of a group."""

import pytest

import opforge as mx
from opforge.base.errors import OpforgeError, ShapeError


def linear(units=3):
    return mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=units, name="fc")


def test_named_arguments_and_their_gradients_are_shared():
    first = linear().simple_bind(mx.cpu(), x=(4, 2))
    names = ["fc_weight", "fc_bias"]
    second = linear().simple_bind(mx.cpu(), x=(5, 2), shared_exec=first, shared_arg_names=names)
    for name in names:
        assert second.arg_dict[name] is first.arg_dict[name]
        assert second.grad_dict[name] is first.grad_dict[name]
    assert second.arg_dict["x"].shape == (5, 2)
    alone = linear().simple_bind(mx.cpu(), x=(5, 2), shared_exec=first)
    assert alone.arg_dict["fc_bias"] is not first.arg_dict["fc_bias"]


def test_arrays_missing_in_shared_exec_are_allocated():
    first = linear().simple_bind(mx.cpu(), "null", x=(4, 2))
    net = mx.sym.broadcast_mul(linear(), mx.sym.var("scale", shape=(1, 3)))
    names = ["fc_weight", "scale"]
    second = net.simple_bind(mx.cpu(), x=(4, 2), shared_exec=first, shared_arg_names=names)
    assert second.arg_dict["fc_weight"] is first.arg_dict["fc_weight"]
    assert second.grad_dict["fc_weight"].shape == (3, 2)
    assert second.arg_dict["scale"].asnumpy().tolist() == [[0, 0, 0]]


def test_shared_arrays_must_fit():
    first = linear().simple_bind(mx.cpu(), x=(4, 2))
    with pytest.raises(ShapeError, match=r"'fc_bias' .* \(3,\) in shared_exec and \(5,\) here"):
        linear(5).simple_bind(mx.cpu(), x=(4, 2), shared_exec=first, shared_arg_names=["fc_bias"])
    with pytest.raises(OpforgeError, match="the shape of 'x' cannot be inferred"):
        linear().simple_bind(mx.cpu())


def test_groups_are_placed_on_their_device():
    with mx.AttrScope(ctx_group="first"):
        x = mx.sym.var("x")
    executor = (x + mx.sym.var("y")).simple_bind(
        mx.cpu(1), x=(2,), y=(2,), group2ctx={"first": mx.cpu(3)}
    )
    assert executor.arg_dict["x"].context == mx.cpu(3)
    assert executor.grad_dict["x"].context == mx.cpu(3)
    assert executor.arg_dict["y"].context == mx.cpu(1)
    assert executor.forward(x=mx.nd.ones(2), y=mx.nd.ones(2))[0].asnumpy().tolist() == [2, 2]
