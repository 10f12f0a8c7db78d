"""Cells step by step and unrolled, eagerly and as graphs."""

import numpy as np
import pytest

from opforge import autograd, gluon, init, nd, sym
from opforge.gluon import contrib, rnn

CELLS = {
    "rnn": lambda **kw: rnn.RNNCell(4, **kw),
    "lstm": lambda **kw: rnn.LSTMCell(4, **kw),
    "gru": lambda **kw: rnn.GRUCell(4, **kw),
    "lstmp": lambda **kw: contrib.rnn.LSTMPCell(4, 3, **kw),
}
EVERY_CELL = pytest.mark.parametrize("kind", CELLS)


def initialized(block):
    block.initialize(init.Normal(0.5))
    return block


def random_array(*shape, seed=0):
    return nd.array(np.random.default_rng(seed).uniform(-1, 1, shape))


class Unrolled(gluon.HybridBlock):
    """Block that unrolls a cell over its input."""

    def __init__(self, cell, length, **kwargs):
        super().__init__()
        self.cell = cell
        self._length, self._kwargs = length, kwargs

    def hybrid_forward(self, F, x, valid_length=None):
        outputs, states = self.cell.unroll(
            self._length, x, merge_outputs=True, valid_length=valid_length, **self._kwargs
        )
        return [outputs, *states]


def bidirectional_cell():
    return rnn.BidirectionalCell(rnn.LSTMCell(4, prefix="l_"), rnn.GRUCell(3, prefix="r_"))


def stacked():
    stack = rnn.HybridSequentialRNNCell()
    stack.add(rnn.ResidualCell(rnn.LSTMCell(5, prefix="a_")))
    stack.add(rnn.DropoutCell(0.0))
    stack.add(bidirectional_cell())
    stack.add(rnn.RNNCell(2, activation="relu", prefix="c_"))
    return stack


SHAPES = {
    **CELLS,
    "both": bidirectional_cell,
    "stack": stacked,
    "residual": lambda: rnn.ResidualCell(rnn.GRUCell(5)),
}


@EVERY_CELL
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
def test_unrolling_agrees_with_single_steps(kind, layout):
    cell = initialized(CELLS[kind]())
    x = random_array(2, 3, 5)
    outputs, states = [], cell.begin_state(batch_size=2)
    for t in range(3):
        output, states = cell(x[:, t], states)
        outputs.append(output.asnumpy())
    given = x if layout == "NTC" else x.swapaxes(0, 1)
    axis = layout.find("T")
    merged, last = cell.unroll(3, given, layout=layout, merge_outputs=True)
    np.testing.assert_allclose(merged.asnumpy(), np.stack(outputs, axis=axis), rtol=1e-5)
    listed, _ = cell.unroll(3, [x[:, t] for t in range(3)], merge_outputs=False)
    for have, want in zip([*listed, *last], [*map(nd.array, outputs), *states], strict=True):
        np.testing.assert_allclose(have.asnumpy(), want.asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("valid_length", [None, [1, 3]])
def test_a_graph_of_all_steps_agrees(kind, valid_length):
    block = initialized(Unrolled(SHAPES[kind](), 3))
    x = random_array(2, 3, 5)
    lengths = [] if valid_length is None else [nd.array(valid_length)]

    def step():
        x.attach_grad()
        with autograd.record():
            found = block(x, *lengths)
            loss = sum((a * a).sum() for a in found)
        loss.backward()
        return [*(a.asnumpy() for a in found), x.grad.asnumpy()]

    plain = step()
    block.hybridize()
    for have, want in zip(step(), plain, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-5)
    assert (
        block(random_array(6, 3, 5), *([nd.array([1, 2, 3] * 2)] if lengths else []))[0].shape[0]
        == 6
    )


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
def test_steps_beyond_the_end_of_a_sequence_have_no_effect(kind, layout):
    cell = initialized(SHAPES[kind]())
    x = random_array(2, 4, 5)
    lengths = [2, 4]
    given = x if layout == "NTC" else x.swapaxes(0, 1)
    outputs, states = cell.unroll(4, given, layout=layout, valid_length=nd.array(lengths))
    outputs = outputs.asnumpy() if layout == "NTC" else outputs.asnumpy().swapaxes(0, 1)
    for at, length in enumerate(lengths):
        alone, last = cell.unroll(length, x[at : at + 1, :length], merge_outputs=True)
        # Products of one row and of two are summed in different orders.
        rounding = {"rtol": 1e-5, "atol": 1e-7}
        np.testing.assert_allclose(outputs[at, :length], alone.asnumpy()[0], **rounding)
        assert (outputs[at, length:] == 0).all()
        for state, want in zip(states, last, strict=True):
            np.testing.assert_allclose(state.asnumpy()[at], want.asnumpy()[0], **rounding)


@EVERY_CELL
def test_a_hybridized_cell_runs_single_steps(kind):
    cell = initialized(CELLS[kind]())
    x, states = random_array(2, 5), cell.begin_state(batch_size=2, func=nd.ones)
    want, want_states = cell(x, states)
    cell.hybridize()
    for _ in range(2):
        have, have_states = cell(x, states)
        for a, b in zip([have, *have_states], [want, *want_states], strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5)


def test_names_of_nodes_count_steps():
    cell = rnn.LSTMCell(4, prefix="rnn_")
    outputs, _ = cell.unroll(2, [sym.var("x0"), sym.var("x1")])
    group = sym.Group(outputs)
    assert group.list_outputs() == ["rnn_t0_out_output", "rnn_t1_out_output"]
    assert group.infer_shape(x0=(3, 5), x1=(3, 5))[1] == [(3, 4)] * 2
    names = set(group.get_internals().list_outputs())
    assert {"rnn_t1_i2h_output", "rnn_t1_slice_output0", "rnn_begin_state_1_output"} <= names


def test_integer_inputs_have_floating_states():
    class Looking(rnn.HybridRecurrentCell):
        def state_info(self, batch_size=0):
            return [{"shape": (batch_size, 2), "__layout__": "NC"}]

        def hybrid_forward(self, F, x, states):
            total = F.one_hot(x, depth=2) + states[0]
            return total, [total]

    outputs, _ = Looking().unroll(3, nd.array([[0, 1, 1]], dtype="int32"), merge_outputs=True)
    assert outputs.dtype == np.float32
    assert outputs.asnumpy()[0].tolist() == [[1, 0], [1, 1], [1, 2]]


def test_states_have_the_dtype_of_the_inputs():
    cell = initialized(rnn.LSTMCell(4))
    cell.cast("float64")
    outputs, states = cell.unroll(2, random_array(3, 2, 5).astype("float64"), merge_outputs=True)
    assert {outputs.dtype, *(s.dtype for s in states)} == {np.float64}


@pytest.mark.parametrize(
    ("activation", "function"),
    [
        ("softrelu", lambda x: np.log1p(np.exp(x))),
        (gluon.nn.LeakyReLU(0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
        (lambda x, name: x * 2, lambda x: 2 * x),
    ],
)
def test_activations(activation, function):
    cell = initialized(rnn.RNNCell(4, activation=activation, input_size=5))
    linear = rnn.RNNCell(4, activation=lambda x, name: x, params=cell.params)
    x, states = random_array(2, 5), cell.begin_state(batch_size=2)
    want = function(linear(x, states)[0].asnumpy())
    np.testing.assert_allclose(cell(x, states)[0].asnumpy(), want, rtol=1e-5, atol=1e-6)


def test_zoneout_keeps_outputs_until_reset():
    cell = initialized(rnn.ZoneoutCell(rnn.RNNCell(4), zoneout_outputs=0.5))
    x = random_array(16, 3, 5)
    plain = cell.unroll(3, x, merge_outputs=True)[0].asnumpy()
    cell.hybridize()  # what it remembers stays out of the graph of a step
    with autograd.train_mode():
        for _ in range(2):
            found = cell.unroll(3, x, merge_outputs=True)[0].asnumpy()
            before = np.concatenate([np.zeros_like(found[:, :1]), found[:, :-1]], axis=1)
            is_kept = found == before
            assert 0.2 < is_kept.mean() < 0.8
            np.testing.assert_allclose(found[~is_kept], plain[~is_kept], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("kind", [rnn.RNNCell, rnn.LSTMCell, rnn.GRUCell])
def test_zoneout_keeps_the_same_elements_in_output_and_state(kind, active):
    cell = initialized(rnn.ZoneoutCell(kind(64), zoneout_outputs=0.5, zoneout_states=0.5))
    cell.hybridize(active)
    states = [nd.ones_like(state) for state in cell.begin_state(batch_size=4)]
    with autograd.record():
        for step in range(2):
            output, next_states = cell(random_array(4, 5, seed=step), states)
            is_kept = output.asnumpy() == states[0].asnumpy()
            assert 0.2 < is_kept.mean() < 0.8
            np.testing.assert_array_equal(output.asnumpy(), next_states[0].asnumpy())
            states = next_states


@pytest.mark.parametrize("rates", [(0.5, 0.4), (0.5, 0.0), (0.0, 0.5)])
def test_zoneout_of_other_fractions_or_outputs_is_separate(rates):
    cell = initialized(rnn.ZoneoutCell(rnn.RNNCell(64), *rates))
    residual = initialized(rnn.ZoneoutCell(rnn.ResidualCell(rnn.RNNCell(5)), 0.5, 0.5))
    with autograd.train_mode():
        for one in (cell, residual):
            output, states = one(random_array(16, 5), one.begin_state(batch_size=16))
            assert (output.asnumpy() != states[0].asnumpy()).any()


@pytest.mark.parametrize("outer", [rnn.SequentialRNNCell, rnn.HybridSequentialRNNCell])
def test_a_hybridized_stack_keeps_the_state_of_its_cells(outer):
    stack = outer()
    stack.add(rnn.GRUCell(64, prefix="a_"))
    stack.add(rnn.ZoneoutCell(rnn.RNNCell(64, prefix="b_"), zoneout_outputs=0.5))
    initialized(stack).hybridize()
    x, states, before = random_array(16, 5), stack.begin_state(batch_size=16), 0
    with autograd.train_mode():
        for _ in range(3):
            output, states = stack(x, states)
            assert 0.2 < (output.asnumpy() == before).mean() < 0.8
            before = output.asnumpy()
    assert stack[0]._active and stack[1].base_cell._active
    plain = rnn.HybridSequentialRNNCell()
    plain.add(rnn.ResidualCell(rnn.GRUCell(5)))
    plain.hybridize()
    assert plain._active


def dropping(part):
    base = rnn.RNNCell(64, h2h_weight_initializer="zeros" if part != "states" else None)
    return initialized(rnn.VariationalDropoutCell(base, **{f"drop_{part}": 0.5}))


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("part", ["inputs", "states", "outputs"])
def test_variational_dropout_has_one_mask_until_it_is_reset(part, active):
    cell = dropping(part)
    cell.hybridize(active)
    x, states = random_array(1, 64), [random_array(1, 64, seed=1)]

    def step():
        return cell(x, states)[0].asnumpy()

    plain = step()
    with autograd.train_mode():
        cell.reset()
        first, second = step(), step()
        cell.reset()
        third = step()
    assert np.array_equal(first, second)
    assert not np.array_equal(first, plain) and not np.array_equal(first, third)


@pytest.mark.parametrize("part", ["inputs", "outputs"])
def test_variational_dropout_of_a_sequence_has_one_mask(part):
    cell = dropping(part)
    x = nd.broadcast_axis(random_array(1, 1, 64), axis=1, size=3)
    with autograd.train_mode():
        found = cell.unroll(3, x, merge_outputs=True)[0].asnumpy()[0]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert not np.array_equal(found, cell.unroll(3, x, merge_outputs=True)[0].asnumpy()[0])


def test_calling_a_modified_cell_raises():
    base = rnn.LSTMCell(4, prefix="p_")
    cell = rnn.ResidualCell(base)
    with pytest.raises(AssertionError, match="Call the modifier cell instead"):
        base.begin_state(batch_size=2)
    with pytest.raises(AssertionError, match="p is already modified"):
        rnn.ZoneoutCell(base)
    assert [s.shape for s in cell.begin_state(batch_size=2)] == [(2, 4)] * 2
    assert cell.params is base.params and cell.prefix == "p_residualcell"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: rnn.RNNCell(4), "RNNCell(None -> 4, tanh)"),
        (lambda: rnn.LSTMCell(4, input_size=3), "LSTMCell(3 -> 16)"),
        (lambda: rnn.GRUCell(4), "GRUCell(None -> 12)"),
        (lambda: rnn.LSTMPCell(5, 3), "LSTMPCell(None -> 20 -> 3)"),
        (lambda: rnn.DropoutCell(0.5), "DropoutCell(rate=0.5, axes=())"),
        (
            lambda: rnn.ZoneoutCell(rnn.RNNCell(4), 0.5),
            "ZoneoutCell(p_out=0.5, p_state=0.0, RNNCell(None -> 4, tanh))",
        ),
        (lambda: rnn.ResidualCell(rnn.GRUCell(4)), "ResidualCell(GRUCell(None -> 12))"),
        (
            lambda: rnn.BidirectionalCell(rnn.RNNCell(4), rnn.LSTMCell(4)),
            "BidirectionalCell(forward=RNNCell(None -> 4, tanh), backward=LSTMCell(None -> 16))",
        ),
        (
            lambda: rnn.VariationalDropoutCell(rnn.RNNCell(4), 0.5),
            "VariationalDropoutCell(p_out = 0.0, p_state = 0.0)",
        ),
        (
            lambda: rnn.Conv2DLSTMCell((3, 8, 8), 4, 3, 3),
            "Conv2DLSTMCell(3 -> 16, tanh, NCHW)",
        ),
    ],
)
def test_repr(make, text):
    assert repr(make()) == text


def test_stack():
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.LSTMCell(4, input_size=3))
    stack.add(rnn.DropoutCell(0.5))
    assert repr(stack) == (
        "SequentialRNNCell(\n(0): LSTMCell(3 -> 16)\n(1): DropoutCell(rate=0.5, axes=())\n)"
    )
    assert len(stack) == 2 and isinstance(stack[1], rnn.DropoutCell)
    output, states = initialized(stack)(nd.ones((2, 3)), stack.begin_state(batch_size=2))
    assert output.shape == (2, 4) and len(states) == 2


def test_invalid_calls_raise():
    cell = initialized(bidirectional_cell())
    with pytest.raises(NotImplementedError, match="Please use unroll"):
        cell(nd.ones((2, 3)), [])
    with pytest.raises(AssertionError, match="doesn't support zoneout"):
        rnn.ZoneoutCell(cell)
    with pytest.raises(AssertionError, match="doesn't support variational state dropout"):
        rnn.VariationalDropoutCell(cell, drop_states=0.5)
    with pytest.raises(AssertionError, match="rate must be a number"):
        rnn.DropoutCell("a")
    with pytest.raises(AssertionError, match="has been deprecated"):
        cell.unroll(3, None)
    with pytest.raises(AssertionError, match="length=3 and a sequence of 5 steps"):
        cell.unroll(3, nd.ones((2, 5, 4)))
    with pytest.raises(NotImplementedError, match=r"must define state_info"):
        rnn.HybridRecurrentCell().begin_state()


def test_cells_are_exported_and_imported(tmp_path):
    block = initialized(Unrolled(stacked(), 3))
    block.hybridize()
    x = random_array(2, 3, 5)
    want = [a.asnumpy() for a in block(x)]
    block.export(str(tmp_path / "net"))
    graph, parameters = str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")
    found = gluon.SymbolBlock.imports(graph, ["data"], parameters)(x)
    for a, b in zip(found, want, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b)


def test_projected_cells_list_weights_first():
    names = ["_".join(name.split("_")[-2:]) for name in contrib.rnn.LSTMPCell(4, 3).params]
    assert names == ["i2h_weight", "h2h_weight", "h2r_weight", "i2h_bias", "h2h_bias"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: gluon.rnn.RNN(3, activation="rleu"),
        lambda: gluon.rnn.RNNCell(3, activation="rleu"),
        lambda: gluon.rnn.LSTMCell(3, recurrent_activation="rleu"),
        lambda: gluon.contrib.rnn.Conv2DRNNCell((1, 4, 4), 2, 3, 3, activation="rleu"),
    ],
)
def test_an_unknown_activation_fails_in_the_constructor(make):
    with pytest.raises(ValueError, match="'rleu'"):
        make()


def test_modifiers_take_the_arguments_of_begin_state_in_both_orders():
    cell = rnn.ZoneoutCell(rnn.LSTMCell(4))
    for states in (
        cell.begin_state(nd.ones, batch_size=2),
        cell.begin_state(nd.ones, 2),
        cell.begin_state(2, nd.ones),
        cell.begin_state(2, func=nd.ones),
        cell.begin_state(batch_size=2, func=nd.ones),
    ):
        assert [state.asnumpy().sum() for state in states] == [8, 8]
    assert [state.asnumpy().sum() for state in cell.begin_state(2)] == [0, 0]


@pytest.mark.parametrize(
    "create",
    [
        lambda: rnn.DropoutCell(0.5),
        lambda: rnn.ResidualCell(rnn.RNNCell(3)),
        lambda: rnn.ZoneoutCell(rnn.RNNCell(3)),
    ],
)
def test_inputs_may_be_passed_by_name_to_a_step(create):
    cell = create()
    cell.initialize()
    states = cell.begin_state(batch_size=2)
    output, _ = cell.hybrid_forward(nd, inputs=nd.ones((2, 3)), states=states)
    assert output.shape == (2, 3)
