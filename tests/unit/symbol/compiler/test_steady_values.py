import gc

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.symbol.compiler import steady_values
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.compiler.steady_values import SteadyStore


def compiled(symbol, parameters, shapes, requests=(), store=None):
    """The compiled graph of a symbol."""
    store = SteadyStore(mx.cpu()) if store is None else store
    graph = lower(symbol, shapes, {})
    return compile_graph(graph, dict.fromkeys(requests, "write"), parameters, store)


def cut(symbol, parameters, shapes, requests=()):
    """Numbers of steady values, and of the remaining steps."""
    made = compiled(symbol, parameters, shapes, requests)
    return len(made.steady), len(made.calls)


def var(*names):
    return [sym.var(name) for name in names]


def test_a_part_that_reads_parameters_alone_is_cut():
    x, w = var("x", "w")
    net = sym.FullyConnected(x, sym.transpose(w), no_bias=True, num_hidden=3)
    assert cut(net, ["w"], {"x": (2, 4), "w": (4, 3)}) == (1, 1)


def test_parameters_read_directly_stay_variables():
    x, w = var("x", "w")
    assert cut(sym.broadcast_mul(x, w), ["w"], {"x": (2, 4), "w": (1, 4)}) == (0, 1)


def test_values_that_depend_on_data_are_kept():
    x, w = var("x", "w")
    net = sym.broadcast_mul(x, sym.broadcast_add(w, sym.mean(x, axis=0, keepdims=True)))
    assert cut(net, ["w"], {"x": (2, 4), "w": (1, 4)})[0] == 0


def test_nothing_is_cut_without_parameters():
    x, w = var("x", "w")
    assert cut(x * (w + 1), [], {"x": (2, 4), "w": (2, 4)}) == (0, 1)


def test_a_parameter_with_a_gradient_changes_in_each_step():
    x, w = var("x", "w")
    assert cut(x * sym.exp(w), ["w"], {"x": (2, 4), "w": (2, 4)}, ["w"])[0] == 0


def test_a_frozen_parameter_is_steady_in_training():
    x, w, b = var("x", "w", "b")
    net = x * sym.exp(w) + b
    shapes = dict.fromkeys("xwb", (2, 4))
    made = compiled(net, ["w", "b"], shapes, ["x", "b"])
    assert len(made.steady) == 1
    assert sorted(made.grads) == ["b", "x"]


@pytest.mark.plugins
def test_a_state_that_the_graph_changes_is_not_steady():
    x = sym.var("x")
    norm = sym.BatchNorm(x, name="norm", fix_gamma=False)
    mean = norm.get_internals()["norm_moving_mean"]
    net = sym.broadcast_add(norm, sym.exp(mean))
    names = [*net.list_arguments()[1:], *net.list_auxiliary_states()]
    assert cut(net, names, {"x": (2, 4)})[0] == 0


@pytest.mark.plugins
def test_random_numbers_are_drawn_each_time():
    x, w = var("x", "w")
    net = x * sym.Dropout(w, p=0.5, mode="always")
    assert cut(net, ["w"], {"x": (2, 4), "w": (2, 4)})[0] == 0


def test_an_author_s_operator_runs_each_time():
    class Scale(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0])

    @mx.operator.register("scale_in_test_steady")
    class ScaleProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Scale()

    x, w = var("x", "w")
    net = x * sym.Custom(w, op_type="scale_in_test_steady")
    assert cut(net, ["w"], {"x": (2, 4), "w": (2, 4)})[0] == 0


def test_only_values_read_by_others_are_steady():
    x, w, b = var("x", "w", "b")
    scale = sym.exp(w)
    net = x * scale + (b - w * scale)  # as a normalization in prediction
    assert cut(net, ["w", "b"], dict.fromkeys("xwb", (2, 4)))[0] == 2


def test_constants_belong_to_a_part():
    x, w = var("x", "w")
    net = x * (w + sym.ones((2, 4)) + sym.zeros_like(w))
    assert cut(net, ["w"], {"x": (2, 4), "w": (2, 4)}) == (1, 1)


def test_constants_alone_are_not_steady_values():
    x = sym.var("x")
    assert cut(x * (sym.ones((2, 4)) + 1), ["w"], {"x": (2, 4)})[0] == 0


def test_a_result_that_is_far_larger_is_computed_each_time():
    x, w = var("x", "w")
    spread = sym.broadcast_to(sym.exp(w), shape=(1000, 100))
    made = compiled(x + sym.sin(spread), ["w"], {"x": (1000, 100), "w": (1, 100)})
    assert len(made.steady) == 1  # exp(w), and nothing larger
    read = {slot for call in made.calls for slot in call.inputs}
    written = {slot for call in made.calls for slot in call.outputs}
    (slot,) = read - written - set(made.inputs.values())
    assert made.types[slot].shape == (1, 100)


def test_values_together_are_bounded(monkeypatch):
    monkeypatch.setattr(steady_values, "graph_limit", lambda: 0)
    x, w = var("x", "w")
    store = SteadyStore(mx.cpu())
    nets = [x * (sym.exp(w) + n) for n in range(6)]
    made = [compiled(net, ["w"], {"x": (4, 4), "w": (4, 4)}, store=store) for net in nets]
    assert [len(each.steady) for each in made] == [1, 1, 1, 1, 0, 0]
    assert store.nbytes == 4 * 64


def test_graphs_of_one_owner_share_equal_values():
    x, w = var("x", "w")
    net = sym.FullyConnected(x, sym.transpose(w), no_bias=True, num_hidden=3)
    store = SteadyStore(mx.cpu())
    made = [compiled(net, ["w"], {"x": (n, 4), "w": (4, 3)}, store=store) for n in (1, 2, 3)]
    assert store.nbytes == 48
    others = net(x=x, w=w + 0)
    made.append(compiled(others, ["w"], {"x": (1, 4), "w": (4, 3)}, store=store))
    assert store.nbytes == 96
    made.clear()
    gc.collect()
    assert store.nbytes == 0


def test_an_output_may_be_steady():
    w = sym.var("w")
    made = compiled(sym.Group([sym.exp(w), sym.exp(w) + 1, w]), ["w"], {"w": (2,)})
    program = made.instantiate()
    array, outs = nd.array([0, 1]), [nd.zeros(2) for _ in range(3)]
    program.put(made.inputs["w"], array)
    for slot, out in zip(made.outputs, outs, strict=True):
        program.put(slot, out)
    for value in ([0, 1], [2, 3]):
        array[:] = nd.array(value)
        made.steady.put(program, False)
        program.run(0, made.n_forward, False)
        wanted = np.exp(value), np.exp(value) + 1, value
        for out, array_wanted in zip(outs, wanted, strict=True):
            np.testing.assert_allclose(out.asnumpy(), array_wanted, rtol=1e-6)


# -- executors -------------------------------------------------------------------------------------


def executor():
    x, w = var("x", "w")
    net = sym.FullyConnected(x, sym.transpose(w), no_bias=True, num_hidden=3)
    return net.simple_bind(mx.cpu(), grad_req="null", x=(2, 4))


def runs(bound):
    return [value.n_runs for value in bound._memory.steady._values.values()]


@pytest.fixture
def bound():
    made = executor()
    made.arg_dict["w"][:] = nd.array(np.arange(12).reshape(4, 3))
    yield made


def expect_right(made, x):
    got = made.forward(x=nd.array(x))[0].asnumpy()
    np.testing.assert_allclose(got, x @ made.arg_dict["w"].asnumpy(), rtol=1e-5)


@pytest.mark.keeps_memory
def test_an_executor_of_simple_bind_knows_its_parameters(bound):
    x = np.ones((2, 4), "float32")
    for _ in range(3):
        expect_right(bound, x)
    assert runs(bound) == [1]
    bound.copy_params_from({"w": nd.ones((4, 3))})
    expect_right(bound, x)
    expect_right(bound, 2 * x)
    assert runs(bound) == [2]
    bound.arg_dict["w"][1] = 5
    expect_right(bound, x)
    assert runs(bound) == [3]


@pytest.mark.keeps_memory
def test_executors_of_other_shapes_share_values(bound):
    other = bound.reshape(allow_up_sizing=True, x=(5, 4))
    expect_right(bound, np.ones((2, 4), "float32"))
    expect_right(other, np.ones((5, 4), "float32"))
    assert runs(bound) == runs(other) == [1]


def test_an_executor_that_trains_predicts_with_steady_values():
    x, w = var("x", "w")
    net = sym.FullyConnected(x, sym.transpose(w), no_bias=True, num_hidden=3)
    made = net.simple_bind(mx.cpu(), x=(2, 4))
    for value in (1, 2):
        made.arg_dict["w"][:] = value
        made.forward(is_train=True, x=nd.ones((2, 4)))
        made.backward(nd.ones((2, 3)))
        assert made.grad_dict["w"].asnumpy().tolist() == [[2] * 3] * 4
        for _ in range(2):
            assert made.forward(x=nd.ones((2, 4)))[0].asnumpy().tolist() == [[4 * value] * 3] * 2
    assert runs(made) == [2]


def test_a_backward_pass_may_follow_a_prediction():
    x, w = var("x", "w")
    made = (sym.FullyConnected(x, w * 2, no_bias=True, num_hidden=2)).simple_bind(
        mx.cpu(), x=(1, 2)
    )
    made.arg_dict["w"][:] = 3
    assert made.forward(x=nd.ones((1, 2)))[0].asnumpy().tolist() == [[12, 12]]
    made.backward(nd.ones((1, 2)))
    assert made.grad_dict["w"].asnumpy().tolist() == [[2, 2], [2, 2]]


def test_an_executor_of_bind_takes_all_arguments_for_data():
    x, w = var("x", "w")
    net = sym.FullyConnected(x, sym.transpose(w), no_bias=True, num_hidden=3)
    made = net.bind(mx.cpu(), {"x": nd.ones((2, 4)), "w": nd.ones((4, 3))})
    assert runs(made) == []
    assert made.forward()[0].asnumpy().tolist() == [[4, 4, 4]] * 2


@pytest.mark.plugins
def test_a_module_predicts_with_steady_values():
    net = sym.FullyConnected(sym.var("data"), sym.var("a_weight") * 2, no_bias=True, num_hidden=3)
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (2, 4))], for_training=False)
    module.init_params(mx.init.One())
    batch = mx.io.DataBatch([nd.ones((2, 4))])
    for value in (1, 2, 2):
        module.set_params({"a_weight": nd.ones((3, 4)) * value}, {})
        module.forward(batch)
        module.forward(batch)
        assert module.get_outputs()[0].asnumpy().tolist() == [[8 * value] * 3] * 2
