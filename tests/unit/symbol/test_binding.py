import pytest

import opforge as mx
from opforge import cpu, nd, subgraph, sym
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.symbol.partitioning import backend as backends


@pytest.fixture
def dense():
    return sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")


def arrays():
    return {"x": nd.ones((1, 3)), "fc_weight": nd.ones((2, 3)), "fc_bias": nd.zeros(2)}


def test_arrays_by_name_or_in_order(dense):
    by_name = dense.bind(mx.cpu(), arrays())
    in_order = dense.bind(mx.cpu(), list(arrays().values()))
    for executor in (by_name, in_order):
        assert list(executor.arg_dict) == dense.list_arguments()
        assert executor.forward()[0].asnumpy().tolist() == [[3, 3]]
        assert executor.grad_arrays == [None, None, None]


def test_more_arrays_than_arguments_are_left_out(dense):
    executor = dense.bind(mx.cpu(), {**arrays(), "other": nd.ones(1)})
    assert "other" not in executor.arg_dict


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ({"x": nd.ones((1, 3))}, ValueError, "key `fc_weight` is missing in `args`"),
        ([nd.ones((1, 3))], ValueError, "Length of args does not match"),
        (nd.ones(1), TypeError, "args must be a list or a dict of NDArray, got NDArray"),
        ({**arrays(), "x": [1, 2]}, TypeError, "args: x must be an NDArray, got list"),
        ({**arrays(), "x": None}, ValueError, "args: x is None"),
        ({**arrays(), "fc_bias": nd.ones(3)}, ShapeError, "fc"),
    ],
)
def test_arguments_that_do_not_fit(dense, args, error, message):
    with pytest.raises(error, match=message):
        dense.bind(mx.cpu(), args)


def test_gradients_only_where_arrays_are_given(dense):
    grad = nd.full(2, 7)
    executor = dense.bind(mx.cpu(), arrays(), {"fc_bias": grad})
    executor.forward(is_train=True)
    executor.backward(nd.ones((1, 2)))
    assert executor.grad_dict == {"x": None, "fc_weight": None, "fc_bias": grad}
    assert grad.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    "request_of",
    ["add", ["write", "null", "add"], {"fc_bias": "add", "x": "write"}],
    ids=["text", "list", "dict"],
)
def test_requests(dense, request_of):
    grads = {name: nd.full(array.shape, 7) for name, array in arrays().items()}
    executor = dense.bind(mx.cpu(), arrays(), grads, request_of)
    executor.forward(is_train=True)
    executor.backward(nd.ones((1, 2)))
    assert grads["fc_bias"].asnumpy().tolist() == [8, 8]
    if request_of == "add":
        assert grads["x"].asnumpy().tolist() == [[9, 9, 9]]
    else:
        assert grads["x"].asnumpy().tolist() == [[2, 2, 2]]
        assert grads["fc_weight"].asnumpy().tolist() == [[7, 7, 7]] * 2


@pytest.mark.parametrize(
    ("request_of", "error", "message"),
    [
        ("inplace", ValueError, "grad_req of x must be in"),
        (["write"], ValueError, "grad_req has 1 elements for 3 arguments"),
        (3, TypeError, "grad_req must be a str, list or dict, got int"),
    ],
)
def test_requests_that_do_not_fit(dense, request_of, error, message):
    with pytest.raises(error, match=message):
        dense.bind(mx.cpu(), arrays(), arrays(), request_of)


def test_bind_rejects_unknown_keywords(dense):
    assert dense.bind(mx.cpu(), arrays(), group2ctx=None, shared_exec=None).arg_dict
    with pytest.raises(TypeError, match="unknown arguments shared"):
        dense.bind(mx.cpu(), arrays(), shared=1)


def test_simple_bind_makes_zeros_of_inferred_shapes(dense):
    executor = dense.simple_bind(mx.cpu(), x=(4, 3))
    assert {k: v.shape for k, v in executor.arg_dict.items()} == {
        "x": (4, 3),
        "fc_weight": (2, 3),
        "fc_bias": (2,),
    }
    assert all(float(v.sum().asscalar()) == 0 for v in executor.grad_arrays)
    assert executor.forward()[0].asnumpy().tolist() == [[0, 0]] * 4


def test_simple_bind_ignores_names_missing_in_the_graph(dense):
    executor = dense.simple_bind(mx.cpu(), x=(2, 3), label=(2,), type_dict={"label": "int32"})
    assert list(executor.arg_dict) == ["x", "fc_weight", "fc_bias"]


def test_simple_bind_of_another_type(dense):
    executor = dense.simple_bind(mx.cpu(), type_dict={"x": "float64"}, x=(4, 3))
    assert {v.dtype.__name__ for v in executor.arg_arrays} == {"float64"}
    assert executor.outputs[0].dtype.__name__ == "float64"


def test_simple_bind_without_gradients(dense):
    executor = dense.simple_bind(mx.cpu(), grad_req="null", x=(1, 3))
    assert executor.grad_arrays == [None] * 3


@pytest.mark.plugins
def test_simple_bind_binds_auxiliary_states():
    executor = sym.BatchNorm(sym.var("x"), name="bn").simple_bind(mx.cpu(), x=(2, 3))
    assert {k: v.shape for k, v in executor.aux_dict.items()} == {
        "bn_moving_mean": (3,),
        "bn_moving_var": (3,),
    }


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({}, "shape of 'x' cannot be inferred"),
    ],
)
def test_simple_bind_names_missing_shapes(dense, shapes, message):
    with pytest.raises(OpforgeError, match=message):
        dense.simple_bind(mx.cpu(), **shapes)


@pytest.mark.plugins
def test_missing_states_are_rejected():
    bn = sym.BatchNorm(sym.var("x"), name="bn")
    args = {"x": nd.ones((2, 3)), "bn_gamma": nd.ones(3), "bn_beta": nd.ones(3)}
    with pytest.raises(ValueError, match="bn_moving_mean"):
        bn.bind(mx.cpu(), args)


@pytest.mark.plugins
def test_eval_takes_states_among_the_arguments():
    bn = sym.BatchNorm(sym.var("x"), name="bn", eps=1e-8)
    (y,) = bn.eval(
        x=nd.array([[3.0]]),
        bn_gamma=nd.ones(1),
        bn_beta=nd.ones(1),
        bn_moving_mean=nd.ones(1),
        bn_moving_var=nd.full(1, 4),
    )
    assert y.asscalar() == pytest.approx(2)


def test_the_context_may_be_the_current_one(dense):
    assert dense.bind(None, arrays()).forward()[0].context == mx.cpu()
    assert dense.simple_bind(None, x=(1, 3)).arg_dict["x"].context == mx.cpu()


@pytest.mark.parametrize("ctx", ["cpu", [mx.cpu()], {"x": (1, 3)}])
def test_bind_rejects_other_objects_as_context(dense, ctx):
    with pytest.raises(TypeError, match=r"Symbol.bind: ctx must be a Context such as .* got"):
        dense.bind(ctx, arrays())
    with pytest.raises(TypeError, match=r"Symbol.simple_bind: ctx must be a Context"):
        dense.simple_bind(ctx, x=(1, 3))


@pytest.mark.parametrize(
    ("shape", "dtype", "error", "message"),
    [
        ((2,), "int32", DTypeError, "is int32 for 'x', expected float32"),
        ((3,), "float32", ShapeError, r"has shape \(3,\) for 'x', expected \(2,\)"),
    ],
)
def test_gradients_are_like_their_arguments(shape, dtype, error, message):
    grads = {"x": nd.zeros(shape, dtype=dtype)}
    with pytest.raises(error, match=message):
        sym.exp(sym.var("x")).bind(mx.cpu(), {"x": nd.ones((2,))}, grads)


def test_arrays_of_another_device_are_rejected_unless_groups_are_passed():
    x, y = mx.nd.ones(2, mx.cpu(0)), mx.nd.ones(2, mx.cpu(1))
    total = mx.sym.var("x") + mx.sym.var("y")
    with pytest.raises(mx.MXNetError, match=r"bind: 'y' is on cpu\(1\), expected cpu\(0\)"):
        total.bind(mx.cpu(0), {"x": x, "y": y})
    with pytest.raises(mx.MXNetError, match=r"bind: 'x' is on cpu\(1\), expected cpu\(0\)"):
        total.bind(mx.cpu(0), {"x": x, "y": x}, args_grad={"x": y})
    executor = total.bind(mx.cpu(0), {"x": x, "y": y}, group2ctx={"second": mx.cpu(1)})
    assert executor.forward()[0].asnumpy().tolist() == [2, 2]


class Renaming(subgraph.SubgraphBackend):
    """Replaces ``x + y`` by ``y + x``, with a new parameter if `adds`."""

    adds = False

    def supports(self, node):
        return node.operator == "elemwise_add"

    def replace(self, subgraph):
        x, y = subgraph.nodes[0].inputs
        return subgraph.add_parameter("one", nd.ones(2)) + x + y if self.adds else y + x


@pytest.fixture
def of_environment(monkeypatch):
    monkeypatch.setitem(backends._registry._own, "renaming", Renaming)
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "renaming")


@pytest.mark.usefixtures("of_environment")
def test_the_backend_of_the_environment_optimizes_what_is_bound():
    net = sym.elemwise_add(sym.var("x"), sym.var("y"), name="z")
    args, grads = [nd.ones(2), nd.ones(2) * 2], [nd.zeros(2), nd.zeros(2)]
    bound = net.bind(cpu(), args, grads, grad_req=["write", "null"])
    assert list(bound.arg_dict) == ["y", "x"]
    assert bound.forward(is_train=True)[0].asnumpy().tolist() == [3, 3]
    bound.backward(nd.ones(2))
    assert [grad.asnumpy().tolist() for grad in grads] == [[1, 1], [0, 0]]
    made = net.simple_bind(cpu(), grad_req=["write", "null"], x=(2,))
    assert list(made.arg_dict) == ["y", "x"] and made.grad_dict["y"] is None


@pytest.mark.usefixtures("of_environment")
def test_it_must_not_add_parameters(monkeypatch):
    monkeypatch.setattr(Renaming, "adds", True)
    net = sym.elemwise_add(sym.var("x"), sym.var("y"), name="z")
    with pytest.raises(OpforgeError, match=r"backend 'renaming' adds parameters \(one\)"):
        net.simple_bind(cpu(), x=(2,))


@pytest.mark.parametrize(("name", "found"), [("NONE", True), ("", True), ("missing", False)])
def test_the_backend_of_the_environment_must_exist(monkeypatch, name, found):
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", name)
    net = sym.exp(sym.var("x"))
    if found:
        assert net.eval(x=nd.zeros(1))[0].asscalar() == 1
    else:
        with pytest.raises(OpforgeError, match="Cannot find backend missing"):
            net.eval(x=nd.zeros(1))
