import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.native.graph.arena import Arena
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower

SHAPE = (4, 5)


def compiled(symbol, requests=(), **shapes):
    shapes = shapes or {name: SHAPE for name in symbol.list_arguments()}
    return compile_graph(lower(symbol, shapes, {}), dict(requests))


@pytest.mark.plugins
def test_slots_of_the_caller_are_not_in_the_arena():
    x = sym.var("x")
    made = compiled(sym.softmax(sym.softmax(x)), {"x": "write"})
    external = {*made.inputs.values(), *made.outputs, *made.grads.values(), *made.heads}
    assert not external & set(made.layout.offsets)
    used = {slot for call in made.calls for slot in (*call.inputs, *call.outputs)}
    assert used - external == set(made.layout.offsets)


@pytest.mark.plugins
def test_a_graph_without_gradients_has_no_backward_pass():
    made = compiled(sym.softmax(sym.var("x")))
    assert made.n_forward == len(made.calls) == 1
    assert made.grads == {}
    assert made.heads == [None]


@pytest.mark.plugins
def test_results_are_written_where_the_caller_wants_them():
    """No step only moves data, forward or backward."""
    made = compiled(sym.softmax(sym.softmax(sym.var("x"))), {"x": "write"})
    assert len(made.calls) == 4


@pytest.mark.plugins
def test_an_added_gradient_is_a_step_of_its_own():
    made = compiled(sym.softmax(sym.var("x")), {"x": "add"})
    assert len(made.calls) == 3


def test_gradients_of_the_last_layer_come_first():
    y = sym.var("x")
    names = [f"w{i}" for i in range(4)]
    for name in names:
        y = sym.dot(y, sym.var(name))
    made = compiled(y, dict.fromkeys(names, "write"), x=(2, 2), **dict.fromkeys(names, (2, 2)))
    written = {slot: at for at, call in enumerate(made.calls) for slot in call.outputs}
    assert sorted(names, key=lambda name: written[made.grads[name]]) == names[::-1]


@pytest.mark.plugins
def test_unused_results_are_not_computed():
    x = sym.var("x")
    parts = sym.Group([sym.softmax(x), sym.log_softmax(x)])
    assert len(compiled(parts[0]).calls) == 1
    made = compiled(sym.dot(x, sym.var("w")), {"w": "write"}, x=(2, 3), w=(3, 4))
    assert list(made.grads) == ["w"]
    assert len(made.calls) == 2


@pytest.mark.plugins
def test_values_read_by_backward_are_kept():
    """Two backward passes after one forward pass give the same gradients."""
    y, w = sym.var("x"), sym.var("w")
    for _ in range(4):
        y = sym.softmax(sym.dot(y, w))
    rng = np.random.default_rng(0)
    args = {name: nd.array(rng.standard_normal((3, 3))) for name in ("x", "w")}
    grads = {name: nd.zeros((3, 3)) for name in args}
    executor = y.bind(mx.cpu(), args, grads)
    executor.forward(is_train=True)
    head = nd.array(rng.standard_normal((3, 3)))
    found = []
    for _ in range(3):
        executor.backward(head)
        found.append({name: grad.asnumpy() for name, grad in grads.items()})
    for name in args:
        np.testing.assert_array_equal(found[0][name], found[1][name])
        np.testing.assert_array_equal(found[0][name], found[2][name])


@pytest.mark.plugins
def test_programs_of_one_blueprint_share_no_memory():
    made = compiled(sym.softmax(sym.softmax(sym.var("x"))), x=(2, 2))
    programs = [made.instantiate() for _ in range(2)]
    arena = Arena(mx.cpu())
    for program in programs:
        program.enter(arena)
    (slot,) = made.layout.offsets
    memory = [np.asarray(program.get(slot)) for program in programs]
    assert not np.shares_memory(*memory)


@pytest.mark.plugins
def test_memory_of_a_long_chain_does_not_grow():
    y = sym.var("x")
    for _ in range(30):
        y = sym.softmax(y)
    assert compiled(y).layout.nbytes <= 3 * (4 * 5 * 4 + 64)


def test_every_variable_has_a_slot_of_its_type():
    made = compile_graph(lower(sym.Cast(sym.var("x"), dtype="float64"), {"x": (2,)}, {"x": 4}), {})
    assert made.types[made.inputs["x"]].code == 4
    assert made.types[made.outputs[0]].code == 1


@pytest.mark.plugins
def test_labels_name_the_nodes():
    made = compiled(sym.softmax(sym.var("x"), name="first"), {"x": "write"})
    assert made.calls[0].label == "first"


@pytest.mark.plugins
def test_heads_that_are_not_read_have_no_slot():
    loss = sym.SoftmaxOutput(sym.var("x"), sym.var("label"), name="softmax")
    made = compile_graph(lower(loss, {"x": (2, 3), "label": (2,)}, {}), {"x": "write"})
    assert made.heads == [None]


JOINED = {
    "rows": (lambda F, x, y: F.concat(x, y, dim=0), (4, 16), 16),
    "one image": (lambda F, x, y: F.concat(x, y, dim=1), (1, 16, 4), 4),
    "stacked": (lambda F, x, y: F.stack(x, y), (4, 16), 16),
    "divided": (lambda F, x, y: F.split(x * y, num_outputs=2, axis=0)[1], (8, 16), 16),
    "squeezed": (
        lambda F, x, y: F.split(x - y, num_outputs=2, axis=0, squeeze_axis=True)[1],
        (2, 16, 8),
        8,
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_adjacent_inputs_are_not_copied(name):
    function, shape, length = JOINED[name]

    def net(F, x, y, w):
        return F.dot(function(F, F.sin(x), F.exp(y)), w) + 1

    shapes = {"x": shape, "y": shape, "w": (length, 3)}
    symbol = net(sym, *map(sym.var, shapes))
    assert not any(call.in_order for call in compiled(symbol, **shapes).calls)
    rng = np.random.default_rng(0)
    arrays = {key: nd.array(rng.normal(size=size)) for key, size in shapes.items()}
    grads = {key: nd.zeros_like(array) for key, array in arrays.items()}
    executor = symbol.bind(mx.cpu(), arrays, grads)
    (found,) = executor.forward(is_train=True)
    executor.backward(nd.ones_like(found))
    for array in arrays.values():
        array.attach_grad()
    with mx.autograd.record():
        want = net(nd, *arrays.values())
    want.backward()
    np.testing.assert_allclose(found.asnumpy(), want.asnumpy(), rtol=1e-5, atol=1e-6)
    for key, array in arrays.items():
        np.testing.assert_allclose(grads[key].asnumpy(), array.grad.asnumpy(), rtol=1e-5, atol=1e-6)


def test_non_adjacent_inputs_are_copied():
    x, y = sym.sin(sym.var("x")), sym.exp(sym.var("y"))
    net = sym.dot(sym.concat(x, y, dim=1), sym.var("w"))
    made = compiled(net, x=(2, 16), y=(2, 16), w=(32, 3))
    assert sum(len(call.inputs) == 2 and call.outputs != made.outputs for call in made.calls) == 1
