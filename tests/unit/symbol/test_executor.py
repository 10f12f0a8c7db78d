import os
import threading
import weakref

import numpy as np
import pytest

import opforge as mx
from opforge import memory_stats, nd, sym
from opforge.base.errors import OperatorError, OpforgeError, ShapeError

#: Arguments and states of a BatchNorm named "bn" that changes nothing but the scale.
BATCH_NORM = {
    "bn_gamma": [1.0],
    "bn_beta": [0.0],
    "bn_moving_mean": [0.0],
    "bn_moving_var": [1.0],
}


def bound(symbol, req="write", **arrays):
    """Bind to arrays; gradients are 7 before the first run."""
    arrays = {name: nd.array(value) for name, value in arrays.items()}
    states = symbol.list_auxiliary_states()
    args = {name: array for name, array in arrays.items() if name not in states}
    grads = {name: nd.full(array.shape, 7) for name, array in args.items()}
    return symbol.bind(mx.cpu(), args, grads, req, {name: arrays[name] for name in states})


def grads_of(executor):
    return {name: grad.asnumpy().tolist() for name, grad in executor.grad_dict.items()}


# -- outputs and gradients ------------------------------------------------------------------------


def test_write_add_and_null_for_each_argument():
    y = sym.var("a") * sym.var("b") + sym.var("c")
    executor = bound(y, {"a": "write", "b": "add", "c": "null"}, a=[2.0], b=[3.0], c=[5.0])
    for _ in range(2):
        assert executor.forward(is_train=True)[0].asscalar() == 11
        executor.backward(nd.array([10.0]))
    assert grads_of(executor) == {"a": [30], "b": [47], "c": [7]}


def test_groups_of_several_outputs():
    x = sym.var("x")
    group = sym.Group([x * 2, sym.SliceChannel(x, num_outputs=2, axis=0), x + 1])
    executor = bound(group, x=[[1.0], [2.0]])
    outputs = executor.forward(is_train=True)
    assert [o.asnumpy().ravel().tolist() for o in outputs] == [[2, 4], [1], [2], [2, 3]]
    assert list(executor.output_dict) == group.list_outputs()
    executor.backward([nd.ones((2, 1)), nd.full((1, 1), 10), nd.full((1, 1), 100), nd.ones((2, 1))])
    assert grads_of(executor) == {"x": [[13], [103]]}


@pytest.mark.plugins
def test_hidden_outputs_take_part():
    bn = sym.BatchNorm(sym.var("x"), name="bn", fix_gamma=False, eps=1e-12)
    executor = bound(bn, x=[[1.0], [3.0]], **BATCH_NORM)
    (y,) = executor.forward(is_train=True)
    np.testing.assert_allclose(y.asnumpy(), [[-1], [1]], rtol=1e-6)
    executor.backward(nd.array([[1.0], [0.0]]))
    np.testing.assert_allclose(grads_of(executor)["bn_gamma"], [-1], rtol=1e-6)
    assert grads_of(executor)["bn_beta"] == [1]


def test_the_same_output_twice_and_an_output_that_is_an_input():
    x = sym.var("x")
    y = x * 3
    executor = bound(sym.Group([y, x, y, x]), x=[2.0])
    outputs = executor.forward(is_train=True)
    assert [o.asscalar() for o in outputs] == [6, 2, 6, 2]
    executor.backward([nd.full(1, k) for k in (1, 10, 100, 1000)])
    assert grads_of(executor) == {"x": [1313]}
    executor.arg_dict["x"][:] = 5
    assert outputs[1].asscalar() == 2


def test_an_output_that_the_backward_pass_reads():
    y = sym.exp(sym.var("x"))
    executor = bound(sym.Group([y, sym.tanh(y)]), x=[0.5])
    executor.forward(is_train=True)
    executor.backward([nd.ones(1), nd.zeros(1)])
    assert grads_of(executor)["x"][0] == pytest.approx(np.exp(0.5), rel=1e-6)


def test_two_arguments_with_one_gradient():
    executor = bound(sym.var("a") + sym.var("b"), a=[1.0], b=[2.0])
    executor.forward(is_train=True)
    executor.backward(nd.full(1, 4))
    assert grads_of(executor) == {"a": [4], "b": [4]}


def test_an_argument_that_is_used_by_many():
    w = sym.var("w")
    y = sym.dot(sym.dot(sym.var("x"), w), w)
    executor = bound(y, x=[[2.0]], w=[[3.0]])
    executor.forward(is_train=True)
    executor.backward(nd.ones((1, 1)))
    assert grads_of(executor) == {"x": [[9]], "w": [[12]]}


@pytest.mark.plugins
def test_arguments_that_nothing_flows_into_have_a_gradient_of_zeros():
    executor = bound(sym.SoftmaxOutput(sym.var("x"), sym.var("l")), x=[[0.0, 0.0]], l=[1.0])
    executor.forward(is_train=True)
    executor.backward()
    assert grads_of(executor) == {"x": [[0.5, -0.5]], "l": [0]}
    executor = bound(sym.BlockGrad(sym.var("x")), x=[1.0])
    executor.forward(is_train=True)
    executor.backward(nd.ones(1))
    assert grads_of(executor) == {"x": [0]}


@pytest.mark.plugins
def test_one_element_and_many():
    y = sym.tanh(sym.var("x") * 2) * sym.sigmoid(sym.var("x"))
    with pytest.raises(OpforgeError, match="two variables"):
        bound(y, x=[1.0])
    x = sym.var("x")
    y = sym.tanh(x * 2) * sym.sigmoid(x)
    for size in (1, 1_000_003):
        values = np.linspace(-2, 2, size).astype("float32")
        executor = bound(y, x=values)
        (out,) = executor.forward(is_train=True)
        expected = np.tanh(2 * values) / (1 + np.exp(-values))
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-5, atol=1e-6)
        executor.backward(nd.ones(size))
        s, t = 1 / (1 + np.exp(-values)), np.tanh(2 * values)
        slope = 2 * (1 - t * t) * s + t * s * (1 - s)
        np.testing.assert_allclose(executor.grad_arrays[0].asnumpy(), slope, rtol=1e-4, atol=1e-5)


# -- head gradients -------------------------------------------------------------------------------


def test_head_gradients_by_name_in_a_list_or_alone():
    x = sym.var("x")
    group = sym.Group([sym.exp(x, name="e"), sym.negative(x, name="n")])
    executor = bound(group, x=[0.0])
    executor.forward(is_train=True)
    for heads in (
        [nd.full(1, 5), nd.full(1, 2)],
        {"n_output": nd.full(1, 2), "e_output": nd.full(1, 5)},
    ):
        executor.backward(heads)
        assert grads_of(executor) == {"x": [3]}


def test_head_gradients_that_are_missing_or_do_not_fit():
    executor = bound(sym.exp(sym.var("x"), name="e"), x=[0.0])
    executor.forward(is_train=True)
    with pytest.raises(OpforgeError, match="'e_output' is not a loss"):
        executor.backward()
    with pytest.raises(ShapeError, match=r"'e_output' has shape \(2,\)"):
        executor.backward(nd.ones(2))
    executor.backward(nd.ones(1))
    assert grads_of(executor) == {"x": [1]}


# -- arguments of forward --------------------------------------------------------------------------


def test_forward_copies_new_values_into_the_arguments():
    executor = bound(sym.var("x") * 2, x=[1.0])
    value = nd.array([4.0])
    assert executor.forward(x=value)[0].asscalar() == 8
    assert executor.arg_dict["x"].asscalar() == 4
    assert executor.arg_dict["x"] is not value
    assert executor.forward()[0].asscalar() == 8
    with pytest.raises(TypeError, match="Unknown argument z"):
        executor.forward(z=value)
    with pytest.raises(ShapeError, match="Shape not match"):
        executor.forward(x=nd.ones(3))
    with pytest.raises(TypeError, match="only accept arguments as NDArray"):
        executor.forward(x=3)


def test_outputs_are_the_same_arrays_every_time():
    executor = bound(sym.var("x") * 2, x=[1.0])
    first = executor.forward()[0]
    executor.arg_dict["x"][:] = 10
    assert executor.forward()[0] is first
    assert first.asscalar() == 20


@pytest.mark.plugins
def test_states_change_in_training_only():
    bn = sym.BatchNorm(sym.var("x"), name="bn", momentum=0.5)
    executor = bound(bn, x=[[1.0], [3.0]], **BATCH_NORM)
    mean = executor.aux_dict["bn_moving_mean"]
    executor.forward(is_train=False)
    assert mean.asscalar() == 0
    executor.forward(is_train=True)
    assert mean.asscalar() == 0
    executor.backward(nd.ones((2, 1)))
    assert mean.asscalar() == 1
    assert executor.aux_arrays[0] is mean


@pytest.mark.plugins
def test_params_are_copied_by_name():
    bn = sym.BatchNorm(sym.var("x"), name="bn")
    executor = bn.simple_bind(mx.cpu(), x=(2, 1))
    executor.copy_params_from({"bn_gamma": nd.full(1, 3)}, {"bn_moving_var": nd.full(1, 4)})
    assert executor.arg_dict["bn_gamma"].asscalar() == 3
    assert executor.aux_dict["bn_moving_var"].asscalar() == 4
    with pytest.raises(ValueError, match='"other" that is not in the arguments'):
        executor.copy_params_from({"other": nd.ones(1)})
    with pytest.raises(ValueError, match="not in the auxiliary states"):
        executor.copy_params_from({}, {"other": nd.ones(1)})
    executor.copy_params_from({"other": nd.ones(1)}, {"more": nd.ones(1)}, allow_extra_params=True)
    with pytest.raises(ShapeError):
        executor.copy_params_from({"bn_gamma": nd.ones(2)})


def test_reshape_shares_the_parameters():
    fc = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
    executor = fc.simple_bind(mx.cpu(), x=(4, 3))
    executor.arg_dict["fc_weight"][:] = 1
    other = executor.reshape(x=(1, 3))
    assert other.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]
    assert other.grad_dict["fc_bias"] is executor.grad_dict["fc_bias"]
    assert other.forward(x=nd.ones((1, 3)))[0].asnumpy().tolist() == [[3, 3]]
    with pytest.raises(OpforgeError, match="arg:x is larger"):
        executor.reshape(x=(4, 5))
    with pytest.raises(OpforgeError, match="arg:fc_weight changed"):
        executor.reshape(allow_up_sizing=True, x=(4, 5))
    wider = executor.reshape(partial_shaping=True, allow_up_sizing=True, x=(4, 5))
    assert wider.arg_dict["fc_weight"].shape == (2, 5)


def test_reshape_makes_smaller_arrays_of_the_same_memory_and_larger_ones_of_zeros():
    executor = bound(sym.var("x") * sym.var("w"), x=[[1.0, 2.0], [3.0, 4.0]], w=[[2.0, 2.0]] * 2)
    smaller = executor.reshape(x=(1, 2), w=(1, 2))
    assert smaller.forward()[0].asnumpy().tolist() == [[2, 4]]
    smaller.arg_dict["x"][:] = 9
    assert executor.arg_dict["x"].asnumpy().tolist() == [[9, 9], [3, 4]]
    assert smaller.grad_dict["x"].shape == (1, 2)
    larger = executor.reshape(x=(3, 2), w=(3, 2), allow_up_sizing=True)
    assert larger.forward()[0].asnumpy().tolist() == [[0, 0]] * 3
    assert larger.grad_dict["w"].asnumpy().tolist() == [[0, 0]] * 3


@pytest.mark.plugins
def test_reshape_keeps_states():
    norm = sym.BatchNorm(sym.var("x"), name="bn")
    executor = norm.simple_bind(mx.cpu(), x=(4, 3))
    other = executor.reshape(x=(2, 3))
    assert other.aux_dict["bn_moving_mean"] is executor.aux_dict["bn_moving_mean"]


def deep(value):
    x = sym.var("x")
    return bound(sym.dot(sym.dot(x, x), sym.dot(x, x)), x=value)


@pytest.mark.usefixtures("no_collector")
def test_executors_made_from_each_other_share_intermediate_results():
    before = memory_stats()["live_bytes"]
    executor = deep(np.ones((64, 64)))
    executor.forward(is_train=True)
    executor.backward(nd.ones((64, 64)))
    alone = memory_stats()["live_bytes"] - before
    others = [executor.reshape(x=(n, n)) for n in (32, 48, 64)]
    arrays = sum(other.outputs[0].size * 4 for other in others)
    for other in others:
        other.forward(is_train=True)
        other.backward(nd.ones(other.outputs[0].shape))
    assert memory_stats()["live_bytes"] - before <= alone + arrays


def test_a_reshaped_executor_writes_into_the_outputs_of_the_other():
    executor = bound(sym.var("x") * sym.var("w"), x=[[1.0], [2.0], [3.0]], w=[[2.0]] * 3)
    before = executor.forward(is_train=True)[0]
    other = executor.reshape(x=(2, 1), w=(2, 1))
    other.arg_dict["x"][:] = 5
    other.forward(is_train=True)
    assert executor.outputs[0] is before
    assert before.asnumpy().tolist() == [[10], [10], [6]]
    with pytest.raises(OpforgeError, match="call forward"):
        executor.backward(nd.ones((3, 1)))
    other.backward(nd.ones((2, 1)))
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 1)))
    assert executor.grad_dict["w"].asnumpy().tolist() == [[5], [5], [3]]
    larger = other.reshape(x=(4, 1), w=(4, 1), allow_up_sizing=True)
    larger.forward()
    assert other.outputs[0].asnumpy().tolist() == [[10], [10]]


def test_gradients_can_be_taken_twice_after_another_executor_ran():
    value = np.array([[1.0, 2.0], [3.0, 4.0]], dtype="float32")
    executor = deep(value)
    other = executor.reshape(x=(2, 2))
    other.forward(is_train=True)
    executor.forward(is_train=True)
    np.testing.assert_array_equal(executor.outputs[0].asnumpy(), value @ value @ value @ value)
    executor.backward(nd.ones((2, 2)))
    want = executor.grad_dict["x"].asnumpy()
    executor.backward(nd.ones((2, 2)))
    np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), want)
    other.forward()
    with pytest.raises(OpforgeError, match="has run since"):
        executor.backward(nd.ones((2, 2)))
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), want)


def test_head_gradients_are_cast_to_the_outputs_type():
    executor = bound(sym.var("x") * 3, x=[1.0])
    for dtype in ("float64", "float16", "int32"):
        executor.forward(is_train=True)
        executor.backward(nd.full(1, 2, dtype=dtype))
        assert grads_of(executor) == {"x": [6]}


@pytest.mark.parametrize("is_train", [True, False])
def test_backward_without_forward_computes_the_outputs_first(is_train):
    executor = bound(sym.exp(sym.var("x")), x=[0.0])
    executor.backward(nd.full(1, 2), is_train=is_train)
    assert grads_of(executor) == {"x": [2]}


def test_backward_after_a_forward_pass_for_prediction():
    executor = bound(sym.exp(sym.var("x")), x=[0.0])
    executor.forward(is_train=False)
    executor.backward(nd.full(1, 2))
    assert grads_of(executor) == {"x": [2]}


def test_gradients_that_nothing_flows_into_are_zero():
    x = sym.var("x")
    for made in (sym.shape_array(x), sym.size_array(x), sym.BlockGrad(x)):
        executor = made.simple_bind(mx.cpu(), x=(2, 3))
        executor.grad_dict["x"][:] = 7
        executor.forward(is_train=True)
        executor.backward(nd.ones((2, 3)))  # of another shape than the output: nothing reads it
        assert executor.grad_dict["x"].asnumpy().tolist() == [[0] * 3] * 2


def test_the_monitor_sees_every_output():
    executor = bound(sym.exp(sym.var("x"), name="e"), x=[0.0])
    seen = []
    executor.set_monitor_callback(lambda name, array: seen.append((name, array.asscalar())))
    executor.forward()
    assert seen == [(b"e_output", 1)]


@pytest.mark.plugins
def test_the_monitor_sees_hidden_outputs_and_inputs():
    data = sym.var("data")
    net = sym.BatchNorm(sym.broadcast_mul(data, sym.var("w"), name="product"), name="bn")
    executor = net.simple_bind(mx.cpu(), data=(2, 3), w=(2, 3))
    seen = []
    executor.set_monitor_callback(lambda name, array: seen.append(name))
    executor.forward(is_train=True)
    assert seen == [b"product_output", b"bn_output", b"bn_mean", b"bn_var"]
    seen.clear()
    executor.set_monitor_callback(lambda name, array: seen.append(name), monitor_all=True)
    executor.forward(is_train=True)
    assert seen[:5] == [b"data", b"product_lhs", b"w", b"product_rhs", b"product_output"]
    assert seen[5:8] == [b"bn_data", b"bn_gamma", b"bn_gamma"]
    assert seen[-5:] == [
        *[b"bn_moving_var"] * 2,
        b"bn_output",
        b"bn_mean",
        b"bn_var",
    ]


def test_surplus_head_gradients_are_ignored_and_missing_rejected():
    x = sym.var("x")
    one, two = nd.ones(1), nd.full(1, 2)
    executor = bound(x * 3, x=[1.0])
    executor.forward(is_train=True)
    executor.backward([two, one])
    assert executor.grad_dict["x"].asnumpy().tolist() == [6]
    pair = bound(sym.Group([x * 3, x * 5]), x=[1.0])
    pair.forward(is_train=True)
    with pytest.raises(OpforgeError, match="1 out_grads for 2 outputs"):
        pair.backward([one])


# -- custom operators ------------------------------------------------------------------------------


class Keeping(mx.operator.CustomOp):
    """Accumulates its inputs; backward uses the sum."""

    made = 0

    def __init__(self):
        super().__init__()
        Keeping.made += 1
        self.total = 0.0

    def forward(self, is_train, req, in_data, out_data, aux):
        self.total += in_data[0].asscalar()
        if in_data[0].asscalar() < 0:
            raise KeyError("no negative numbers")
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if self.total > 100:
            raise KeyError("too much")
        self.assign(in_grad[0], req[0], out_grad[0] * self.total)


@mx.operator.register("executor_keeping")
class KeepingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Keeping()


class Loss(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        assert out_grad[0].shape == (0,)
        self.assign(in_grad[0], req[0], nd.full(1, 5))


@mx.operator.register("executor_loss")
class LossProp(mx.operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=False)

    def create_operator(self, ctx, shapes, dtypes):
        return Loss()


def keeping():
    return sym.Custom(sym.var("x") + 1, op_type="executor_keeping", name="keeper") * 3


def test_an_operator_object_keeps_its_state():
    Keeping.made = 0
    executor = bound(keeping(), x=[1.0])
    assert executor.forward(is_train=True)[0].asscalar() == 12
    executor.backward(nd.ones(1))
    assert grads_of(executor) == {"x": [6]}
    executor.forward(is_train=True)
    executor.backward(nd.ones(1))
    assert grads_of(executor) == {"x": [12]}
    assert Keeping.made == 1


def test_a_custom_loss_reads_no_head_gradient():
    executor = bound(sym.Custom(sym.var("x") * 2, op_type="executor_loss"), x=[1.0])
    executor.forward(is_train=True)
    executor.backward()
    assert grads_of(executor) == {"x": [10]}


def test_errors_of_authors_name_operator_and_line():
    executor = bound(keeping(), x=[1.0])
    executor.arg_dict["x"][:] = -5
    with pytest.raises(OperatorError, match="executor_keeping") as caught:
        executor.forward(is_train=True)
    frames = [entry.name for entry in caught.traceback]
    assert "no negative numbers" in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)
    cause = caught.value.__cause__.__traceback__
    assert cause.tb_next is not None or "forward" in frames
    executor.arg_dict["x"][:] = 1
    assert executor.forward(is_train=True)[0].asscalar() == 12


def test_after_an_exception_in_backward_the_executor_works_again():
    executor = bound(keeping(), x=[150.0])
    executor.forward(is_train=True)
    with pytest.raises(OperatorError, match="too much"):
        executor.backward(nd.ones(1))
    assert not mx.autograd.is_recording()
    executor.arg_dict["x"][:] = 1
    assert executor.forward(is_train=False)[0].asscalar() == 12


# -- memory, threads, processes -------------------------------------------------------------------


def mlp(width=8):
    y = sym.var("x")
    for layer in range(3):
        y = sym.FullyConnected(y, num_hidden=width, name=f"fc{layer}")
        y = sym.Activation(y, act_type="tanh", name=f"act{layer}")
    return sym.SoftmaxOutput(y, name="softmax")


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_a_steady_state_allocates_nothing():
    loss = sym.make_loss(sym.log_softmax(mlp().get_internals()["act2_output"]))
    executor = loss.simple_bind(mx.cpu(), x=(4, 8))

    def step():
        executor.forward(is_train=True)
        executor.backward()

    for _ in range(3):
        step()
    before = memory_stats()
    for _ in range(20):
        step()
    assert memory_stats() == before


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_an_executor_is_freed_without_the_collector():
    executor = mlp().simple_bind(mx.cpu(), x=(4, 8))
    executor.forward(is_train=True)
    executor.backward()
    gone = weakref.ref(executor)
    before = memory_stats()["live_bytes"]
    del executor
    assert gone() is None
    assert memory_stats()["live_bytes"] < before


@pytest.mark.plugins
def test_executors_in_threads():
    results = {}

    def run(seed):
        executor = mlp().simple_bind(mx.cpu(), x=(4, 8), softmax_label=(4,))
        for k, array in enumerate(executor.arg_arrays):
            rng = np.random.default_rng(k)
            array[:] = nd.array(rng.standard_normal(array.shape))
        executor.arg_dict["softmax_label"][:] = 1
        for _ in range(30):
            executor.forward(is_train=True)
            executor.backward()
        results[seed] = [grad.asnumpy() for grad in executor.grad_arrays]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for found in results.values():
        for have, want in zip(found, results[0], strict=True):
            np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("call", ["forward", "backward"])
@pytest.mark.parametrize("shared", [False, True])
def test_an_executor_in_use_by_another_thread_is_an_error(call, shared):
    entered, finish = threading.Event(), threading.Event()

    @mx.operator.register("fx_waits")
    class WaitsProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Waits()

    class Waits(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            entered.set()
            finish.wait()
            self.assign(out_data[0], req[0], in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0])

    executor = sym.Custom(sym.var("x"), op_type="fx_waits").simple_bind(mx.cpu(), x=(2, 3))
    other = executor.reshape(x=(1, 3)) if shared else executor
    thread = threading.Thread(target=executor.forward, kwargs={"is_train": True})
    thread.start()
    entered.wait()
    arguments = [] if call == "forward" else [nd.ones(other.outputs[0].shape)]
    try:
        with pytest.raises(OpforgeError, match="another thread is running it"):
            getattr(other, call)(*arguments)
    finally:
        finish.set()
        thread.join()
    other.forward(is_train=True)
    getattr(other, call)(*arguments)


def test_an_executor_works_in_a_forked_child():
    executor = bound(sym.exp(sym.var("x")), x=np.zeros(300_000, "float32"))
    executor.forward(is_train=True)
    pid = os.fork()
    if pid == 0:
        try:
            executor.forward(is_train=True)
            executor.backward(nd.ones(300_000))
            good = float(executor.grad_arrays[0].sum().asscalar()) == 300_000
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_monitor_sees_executors_of_other_shapes_too():
    seen = []
    executor = (sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))
    executor.set_monitor_callback(lambda name, array: seen.append(array.shape))
    executor.reshape(x=(1,)).forward()
    assert seen == [(1,)]


def test_the_symbol_is_returned_as_the_optimized_one():
    y = sym.var("a") * 2
    optimized = y.bind(mx.cpu(), {"a": nd.ones(1)}).get_optimized_symbol()
    assert optimized.tojson() == y.tojson()
