"""Arrays, copies, contexts, autograd and operators on a device with memory of its own."""

import copy
import gc
import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.base.context import Context
from opforge.base.errors import (
    ContextError,
    HostAccessError,
    NativeError,
    OperatorError,
    OutOfMemoryError,
    PluginError,
)
from opforge.native.memory.devices import synchronize_all
from opforge.op.abi.devices import add_device
from opforge.plugin_api import native, rules

pytestmark = pytest.mark.plugins
CPU = mx.cpu()


@pytest.fixture(autouse=True)
def nothing_leaks(pretend_module):
    before = pretend_module.counters()[0]
    yield
    gc.collect()
    assert pretend_module.counters()[0] == before


@pytest.fixture
def device(pretend):
    return pretend()


def test_a_context_is_found_by_its_name():
    with pytest.raises(
        ContextError, match=r"device type 'pretend' is unknown; .* an installed plu"
    ):
        Context("pretend")


def test_contexts(pretend):
    device = pretend(2)
    assert repr(device) == "pretend(2)" and device == Context("pretend", 2) != pretend(1)
    with device:
        x = nd.zeros((2,))
        assert x.context == device and nd.array([1.0]).context == device
    assert nd.zeros((1,)).context == CPU
    with pytest.raises(ContextError, match="no device 4 of DLPack's type 12: their ids"):
        nd.zeros((1,), ctx=pretend(4))
    assert x.__dlpack_device__() == (12, 2)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (0,), (2, 0, 3)])
def test_arrays_are_made_and_read(device, dtype, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape or (1,)).astype(dtype)
    with mx.util.np_shape(True):
        x = nd.array(values, ctx=device, dtype=dtype)
        assert x.context == device and x.dtype == values.dtype
        np.testing.assert_array_equal(x.asnumpy(), values)
        np.testing.assert_array_equal(np.asarray(x), values)
    assert str(nd.array([1.5], ctx=device)) == "\n[1.5]\n<NDArray 1 @pretend(0)>"


def test_constant_and_random_arrays(device):
    assert nd.zeros((2,), ctx=device).asnumpy().tolist() == [0, 0]
    assert nd.ones((2,), ctx=device, dtype="int32").asnumpy().tolist() == [1, 1]
    assert nd.full((2,), 7, ctx=device).asnumpy().tolist() == [7, 7]
    assert nd.arange(3, ctx=device).asnumpy().tolist() == [0, 1, 2]
    drawn = nd.random.uniform(shape=(100,), ctx=device)
    assert drawn.context == device and 0 <= drawn.asnumpy().min() < drawn.asnumpy().max() < 1


def test_copies(pretend):
    values = np.arange(6, dtype="float32").reshape(2, 3)
    here, there, beyond = nd.array(values), nd.array(values, ctx=pretend()), pretend(3)
    for x in (
        here.as_in_context(pretend()),
        here.copyto(beyond).as_in_context(CPU),
        there.as_in_context(beyond),
        copy.deepcopy(there),
        pickle.loads(pickle.dumps(there)),
    ):
        np.testing.assert_array_equal(x.asnumpy(), values)
    assert there.as_in_context(pretend()) is there
    target = nd.zeros((2, 3), ctx=beyond, dtype="int32")
    here.copyto(target)
    assert target.asnumpy().tolist() == values.tolist() and target.context == beyond
    there[:] = 5
    there[1:] = nd.array([[1, 2, 3]], ctx=pretend())
    assert there.asnumpy().tolist() == [[5, 5, 5], [1, 2, 3]]
    assert there[1].asnumpy().tolist() == [1, 2, 3] and there[1, 2].asscalar() == 3
    there[0] = there[1]
    assert there.reshape((3, 2)).asnumpy().tolist() == [[1, 2], [3, 1], [2, 3]]


def test_files(device, tmp_path):
    x = nd.array([1, 2], ctx=device)
    nd.save(str(tmp_path / "x.params"), {"x": x})
    assert nd.load(str(tmp_path / "x.params"))["x"].asnumpy().tolist() == [1, 2]


def test_an_operator_of_the_core_and_one_of_a_plugin(device):
    x, w = np.linspace(-1, 1, 6).reshape(2, 3), np.linspace(0, 2, 12).reshape(4, 3)
    values = [nd.array(x, ctx=device), nd.array(w, ctx=device)]
    dense = nd.FullyConnected(*values, no_bias=True, num_hidden=4)
    assert dense.context == device
    np.testing.assert_allclose(dense.asnumpy(), x @ w.T, rtol=1e-6)
    np.testing.assert_allclose(
        nd.Activation(values[0], act_type="tanh").asnumpy(), np.tanh(x), rtol=1e-6
    )
    total = values[0] + values[0]
    np.testing.assert_allclose(total.asnumpy(), 2 * x, rtol=1e-6)
    values[0] += total
    np.testing.assert_allclose(values[0].asnumpy(), 3 * x, rtol=1e-6)


def test_a_rule_computes_and_differentiates_on_the_device(device):
    def on_device(prop, in_data, out_data, req, is_train):
        values = in_data[0].as_in_context(CPU)
        out_data[0][:] = nd.log_softmax(values, axis=prop.axis).as_in_context(device)

    def slope(prop, F, out_grad, in_data, out_data):
        return out_grad[0]  # not the right one, to be distinguished

    x = nd.array([[1.0, 2.0], [0.0, 4.0]], ctx=device)
    with pytest.raises(OperatorError, match=r"'log_softmax' .* has no kernel"):
        nd.log_softmax(x, axis=0)
    rules.register("compute.pretend", "log_softmax")(on_device)
    found = nd.log_softmax(x, axis=0)
    assert found.context == device
    want = nd.log_softmax(x.as_in_context(CPU), axis=0)
    np.testing.assert_array_equal(found.asnumpy(), want.asnumpy())
    rules.register("gradient", "log_softmax")(slope)
    x.attach_grad()
    with autograd.record():
        y = nd.log_softmax(x, axis=0)
    y.backward(nd.ones((2, 2), ctx=device))
    assert x.grad.asnumpy().tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: nd.exp(x),
        lambda x: x * x,
        lambda x: x + 1,
        lambda x: -x,
        lambda x: nd.sum(x),
        lambda x: nd.dot(x, x),
        lambda x: nd.relu(x),
        lambda x: nd.softmax(x),
        lambda x: nd.concat(x, x, dim=0),
        lambda x: nd.exp(x, out=x),
        lambda x: nd.sort(x),
        lambda x: nd.random.normal_like(x),
        lambda x: nd.Pooling(x.reshape((1, 1, 2, 2)), kernel=(2, 2)),
        lambda x: nd.batch_dot(x.reshape((1, 2, 2)), x.reshape((1, 2, 2))),
    ],
)
def test_an_operator_without_a_kernel_is_one_error(device, call):
    x = nd.ones((2, 2), ctx=device)
    with pytest.raises(
        OperatorError,
        match=r"^operator '\w+' \(.*opforge.* 0\.\d+.*\) has no kernel for device 'pretend\(0\)'",
    ) as caught:
        call(x)
    assert isinstance(caught.value, ContextError)
    assert x.asnumpy().tolist() == [[1, 1], [1, 1]]


def test_attributes_that_a_kernel_does_not_support(device):
    with pytest.raises(OperatorError, match=r"Activation.*act_type must be 'tanh' on this device"):
        nd.Activation(nd.ones((1,), ctx=device), act_type="relu")


@pytest.mark.parametrize(
    "use",
    [
        lambda x: memoryview(x),
        lambda x: x.__dlpack__(),
        lambda x: mx.native.array.numpy_alias(x),
        lambda x: x[nd.array([0, 1])],
        lambda x: x[::2],
        lambda x: np.array(x, copy=False),
    ],
)
def test_the_cpu_never_reads_its_memory(device, use):
    with pytest.raises(
        (ContextError, ValueError), match=r"on pretend\(0\)|'pretend\(0\)'|without a copy"
    ):
        use(nd.ones((3,), ctx=device))


@pytest.mark.parametrize("hybridized", [False, True])
def test_arrays_of_two_devices_are_rejected(pretend, hybridized):
    here, there = nd.ones((2, 3)), nd.ones((2, 3), ctx=pretend())
    for call in (
        lambda: here + there,
        lambda: there + here,
        lambda: nd.FullyConnected(there, nd.ones((4, 3)), no_bias=True, num_hidden=4),
        lambda: nd.elemwise_add(here, here, out=there),
        lambda: nd.broadcast_add(there, there, out=here),
        lambda: there + nd.ones((2, 3), ctx=pretend(1)),
    ):
        with pytest.raises((ContextError, HostAccessError)):
            call()


def network(context):
    mx.random.seed(1)
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(5, activation="tanh", in_units=3), gluon.nn.Dense(2, in_units=5))
    net.initialize(mx.init.Uniform(1), ctx=context)
    return net


def trained(context, hybridized, steps, optimizer="sgd"):
    """Return the parameters and outputs after steps of training."""
    net = network(context)
    net.hybridize(hybridized)
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, "wd": 0.01})
    x = nd.array(np.linspace(-1, 1, 12).reshape(4, 3), ctx=context)
    head = nd.array(np.linspace(1, 2, 8).reshape(4, 2), ctx=context)
    for _ in range(steps):
        with autograd.record():
            y = net(x)
        y.backward(head)
        trainer.step(4)
    assert y.context == context
    values = [p.data(context) for p in net.collect_params().values()]
    return [value.asnumpy() for value in [y, *values]]


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("hybridized", [False, True])
def test_a_training_step_of_a_network_of_two_layers(pretend, hybridized, optimizer):
    expected = trained(CPU, False, 3, optimizer)
    for got, want in zip(trained(pretend(1), hybridized, 3, optimizer), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("request_", ["write", "add"])
def test_gradients(device, request_):
    x = nd.array([[1, 2, 3]], ctx=device)
    w = nd.array([[1, 0, -1]], ctx=device)
    x.attach_grad(request_)
    for _ in range(2):
        with autograd.record():
            y = nd.FullyConnected(x, w, no_bias=True, num_hidden=1)
            y = y + y
        y.backward()
    assert x.grad.context == device
    assert x.grad.asnumpy().tolist() == [[2, 0, -2] if request_ == "write" else [4, 0, -4]]


def test_a_custom_operator_composes_kernels(device):
    class Twice(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            assert in_data[0].context == device
            self.assign(out_data[0], req[0], in_data[0] + in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] + out_grad[0])

    @mx.operator.register("twice_on_pretend")
    class TwiceProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Twice()

    x = nd.array([1, 2], ctx=device)
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="twice_on_pretend")
    y.backward()
    assert y.asnumpy().tolist() == [2, 4] and x.grad.asnumpy().tolist() == [2, 2]


def test_a_symbol_is_bound(device):
    symbol = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
    executor = symbol.simple_bind(device, x=(4, 3))
    for name, array in executor.arg_dict.items():
        array[:] = 1 if name != "fc_bias" else 0.5
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [[3.5, 3.5]] * 4
    executor.backward(nd.ones((4, 2), ctx=device))
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [4, 4]


def test_errors_of_the_device_are_raised(device, pretend_module):
    with pytest.raises(NativeError, match=r"copying 13 bytes failed .*: 13 bytes are bad luck"):
        nd.array(np.zeros(13), ctx=device, dtype="uint8")
    pretend_module.limit(1000)
    try:
        with pytest.raises(OutOfMemoryError, match=r"4000 bytes on device 0 .*device is full"):
            nd.empty((1000,), ctx=device)
    finally:
        pretend_module.limit(2**62)


def test_waiting_synchronizes_the_device(device, pretend_module):
    x = nd.ones((2,), ctx=device)
    before = pretend_module.counters()[1]
    x.wait_to_read()
    assert pretend_module.counters()[1] == before + 1
    synchronize_all()
    assert pretend_module.counters()[1] == before + 5


def test_ten_thousand_calls_leak_nothing(device, pretend_module):
    x, w = nd.ones((2, 3), ctx=device), nd.ones((4, 3), ctx=device)
    live = pretend_module.counters()[0]
    for _ in range(10_000):
        nd.FullyConnected(x, w, no_bias=True, num_hidden=4)
    assert pretend_module.counters()[0] == live


def test_a_device_without_memory_is_rejected(pretend_module):
    for memory, text in [
        (None, "opforge_memory is None, expected a PyCapsule"),
        (pretend_module.core, "opforge_memory is <capsule .* expected a PyCapsule"),
        (gc, "gc has no attribute opforge_memory"),
    ]:
        device = type("Wrong", (native.Device,), {"name": "wrong", "memory": memory})
        with pytest.raises(PluginError, match=text):
            add_device(device)
    named = type("Named", (native.Device,), {"name": "cpu", "memory": pretend_module})
    with pytest.raises(ContextError, match="device 'cpu' has DLPack's type 12, but"):
        add_device(named)
