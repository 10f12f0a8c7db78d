"""`PythonOp`, `NumpyOp`, `NDArrayOp`: deprecated, called with symbols, custom ops below."""

import warnings

import numpy as np
import pytest

import opforge as mx
from opforge import sym
from opforge.operator import NDArrayOp, NumpyOp, PythonOp


def quiet(make, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*args)


class Tile(NumpyOp):
    def __init__(self, tiles):
        super().__init__(False)
        self.tiles = tiles

    def list_arguments(self):
        return ["input"]

    def infer_shape(self, in_shape):
        return [in_shape[0]], [in_shape[0] + [self.tiles]]

    def forward(self, in_data, out_data):
        out_data[0][:] = in_data[0][..., None]


@pytest.mark.parametrize("kind", [PythonOp, NumpyOp, NDArrayOp])
def test_construction_warns_as_in_mxnet(kind):
    message = f"{kind.__name__} has been deprecated. Please use CustomOp"
    with pytest.warns(UserWarning, match=message):
        assert kind(False).need_top_grad() is False


def test_a_call_gives_a_symbol():
    node = quiet(Tile, 10)(input=sym.var("data"), name="tileop")
    assert node.name == "tileop"
    assert node.list_arguments() == ["data"]
    assert node.list_outputs() == ["tileop_output"]


def test_missing_inputs_become_variables():
    class Loss(NDArrayOp):
        def list_arguments(self):
            return ["data", "label"]

    node = quiet(Loss)(data=sym.var("x"), name="softmax")
    assert node.list_arguments() == ["x", "softmax_label"]


def test_inputs_may_be_positional_and_names_automatic():
    operator = quiet(NumpyOp)
    with mx.name.NameManager():
        first, second = operator(sym.var("x")), operator(sym.var("x"))
        third = quiet(NDArrayOp)()
    assert first.list_arguments() == ["x"]
    assert [first.name, second.name, third.name] == ["_native0", "_native1", "_ndarray0"]
    assert third.list_arguments() == ["_ndarray0_data"]


def test_prefixes_and_attributes_of_the_scope_hold():
    operator = quiet(NumpyOp)
    with mx.name.Prefix("net_"), mx.AttrScope(ctx_group="a"):
        first, second = operator(sym.var("x"), name="mine"), operator(sym.var("x"))
    assert [first.name, second.name] == ["net_mine", "net__native0"]
    assert first.attr("ctx_group") == "a"


def test_an_instance_is_registered_once():
    operator = quiet(Tile, 3)
    operator(sym.var("x"))
    known = operator._op_type
    operator(sym.var("x"))
    assert operator._op_type == known


def test_the_imperative_call_below():
    operator = quiet(Tile, 3)
    operator(sym.var("x"))
    y = mx.nd.Custom(mx.nd.array([1, 2]), op_type=operator._op_type)
    assert y.asnumpy().tolist() == [[1, 1, 1], [2, 2, 2]]


def test_defaults_copy_forward_and_give_ones_back():
    for kind in (NumpyOp, NDArrayOp):
        operator = quiet(kind)
        operator(sym.var("x"))
        x = mx.nd.array([1.0, 2.0])
        x.attach_grad()
        with mx.autograd.record():
            y = mx.nd.Custom(x, op_type=operator._op_type)
        y.backward(mx.nd.array([3.0, 3.0]))
        np.testing.assert_array_equal(y.asnumpy(), [1, 2])
        np.testing.assert_array_equal(x.grad.asnumpy(), [1, 1])


def test_the_base_alone_cannot_be_called():
    with pytest.raises(NotImplementedError, match="derive from NumpyOp or NDArrayOp"):
        quiet(PythonOp)(data=sym.var("x"))


def test_attributes_are_rejected():
    with pytest.raises(mx.MXNetError, match="unexpected keyword argument 'k'"):
        quiet(NDArrayOp)(data=sym.var("x"), k=3)


class Softmax(NumpyOp):
    """The guide's loss: no gradient from above, labels that may be inferred."""

    def __init__(self):
        super().__init__(False)

    def list_arguments(self):
        return ["data", "label"]

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

    def forward(self, in_data, out_data):
        x, y = in_data[0], out_data[0]
        y[:] = np.exp(x - x.max(axis=1, keepdims=True))
        y /= y.sum(axis=1, keepdims=True)

    def backward(self, out_grad, in_data, out_data, in_grad):
        in_grad[0][:] = out_data[0]
        in_grad[0][np.arange(len(in_data[1])), in_data[1].astype(int)] -= 1


def test_shapes_and_types_are_inferred():
    tile = quiet(Tile, 10)(input=sym.var("data"), name="tileop")
    assert tile.infer_shape(data=(2, 3)) == ([(2, 3)], [(2, 3, 10)], [])
    data = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc")
    loss = quiet(Softmax)(data=data, name="softmax")
    assert loss.infer_shape(x=(2, 3))[0][-1] == (2,)
    assert loss.infer_type(x="float64")[0] == [np.float64] * 4


@pytest.mark.parametrize(("req", "times"), [("write", 1), ("add", 2)])
def test_the_executor_runs_it(req, times):
    loss = quiet(Softmax)(data=sym.var("x"), name="softmax")
    executor = loss.simple_bind(mx.cpu(), grad_req=req, x=(2, 3))
    executor.arg_dict["softmax_label"][:] = [0, 2]
    for _ in range(2):
        out = executor.forward(is_train=True)[0].asnumpy()
        executor.backward()
    np.testing.assert_allclose(out, 1 / 3, rtol=1e-6)
    want = times * (out - np.eye(3)[[0, 2]])
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), want, rtol=1e-6)


@pytest.mark.plugins
def test_a_module_trains_with_it():
    data = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    module = mx.mod.Module(quiet(Softmax)(data=data, name="softmax"))
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 3), dtype=np.float32)
    batches = mx.io.NDArrayIter(x, x.argmax(1), 10)
    module.fit(batches, num_epoch=30, optimizer_params={"learning_rate": 0.5})
    assert dict(module.score(batches, "acc"))["accuracy"] > 0.9


@pytest.mark.plugins
def test_a_kernel_without_source_is_told_from_within():
    """The seed's second example: the symbol is created, and running it raises an error."""

    class Kernel(NDArrayOp):
        def forward(self, in_data, out_data):
            mx.rtc("softmax", [("x", in_data[0])], [("y", out_data[0])]).push(
                in_data, out_data, (1, 1, 1), (1, 1, 1)
            )

    executor = quiet(Kernel)(data=sym.var("x")).simple_bind(mx.cpu(), x=(2,))
    with pytest.raises(mx.MXNetError, match="rtc kernel 'softmax' has no source"):
        executor.forward()


@pytest.mark.parametrize("base", [NDArrayOp, NumpyOp])
def test_constructors_need_not_call_the_base_class(base):
    class Twice(base):
        def __init__(self):
            pass

        def forward(self, in_data, out_data):
            out_data[0][:] = in_data[0] * 2

    y = Twice()(sym.var("x"))
    executor = y.bind(mx.cpu(), {"x": mx.nd.ones((2,))}, grad_req="null")
    assert executor.forward()[0].asnumpy().tolist() == [2, 2]
