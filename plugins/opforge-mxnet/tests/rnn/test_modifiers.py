import numpy as np
import pytest

from opforge import nd, rnn, sym

from .conftest import unrolled

pytestmark = pytest.mark.plugins


@pytest.mark.parametrize("merge", [True, False, None])
def test_a_residual_cell_adds_its_input(merge, values, evaluate):
    cell = rnn.ResidualCell(rnn.GRUCell(5, prefix="g_"))
    outputs, _ = cell.unroll(3, sym.var("data"), merge_outputs=merge)
    merged = outputs if merge else sym.stack(*outputs, axis=1)
    drawn = values(merged, data=(2, 3, 5))
    expected = unrolled("gru", drawn["data"], drawn, "g_")[0] + drawn["data"]
    np.testing.assert_allclose(evaluate(merged, drawn)[0], expected, rtol=1e-4, atol=1e-6)


def test_a_residual_cell_is_stepped(values, evaluate):
    cell = rnn.ResidualCell(rnn.RNNCell(5, prefix="g_"))
    output, _ = cell(sym.var("x"), cell.begin_state())
    drawn = values(output, x=(2, 5))
    expected = unrolled("rnn", drawn["x"][:, None], drawn, "g_")[0][:, 0] + drawn["x"]
    np.testing.assert_allclose(evaluate(output, drawn)[0], expected, rtol=1e-4, atol=1e-6)


def zoned_out(outputs, states, is_train):
    cell = rnn.ZoneoutCell(rnn.RNNCell(4, prefix="z_"), outputs, states)
    found, _ = cell.unroll(3, sym.var("data"), merge_outputs=True)
    rng = np.random.default_rng(0)
    shapes = dict(zip(found.list_arguments(), found.infer_shape(data=(8, 3, 5))[0], strict=True))
    drawn = {name: rng.uniform(-1, 1, shape) for name, shape in shapes.items()}
    executor = found.bind(None, {name: nd.array(value) for name, value in drawn.items()})
    return executor.forward(is_train=is_train)[0].asnumpy(), drawn


def test_zoneout_keeps_outputs_while_training():
    plain, drawn = zoned_out(0.5, 0.0, is_train=False)
    np.testing.assert_allclose(
        plain, unrolled("rnn", drawn["data"], drawn, "z_")[0], rtol=1e-4, atol=1e-6
    )
    trained, _ = zoned_out(0.5, 0.0, is_train=True)
    before = np.concatenate([np.zeros_like(trained[:, :1]), trained[:, :-1]], axis=1)
    is_kept = trained == before
    assert 0.2 < is_kept.mean() < 0.8
    np.testing.assert_allclose(trained[~is_kept], plain[~is_kept], rtol=1e-4, atol=1e-6)


def test_zoneout_of_states_affects_later_steps():
    plain, _ = zoned_out(0.0, 0.5, is_train=False)
    trained, _ = zoned_out(0.0, 0.5, is_train=True)
    np.testing.assert_allclose(trained[:, 0], plain[:, 0], rtol=1e-4, atol=1e-6)
    assert not np.allclose(trained[:, 1:], plain[:, 1:])


def test_zoneout_keeps_the_same_elements_in_output_and_state():
    cell = rnn.ZoneoutCell(rnn.RNNCell(64, prefix="z_"), 0.5, 0.5)
    output, (state,) = cell(sym.var("x"), [sym.var("h")])
    net = sym.Group([output, state])
    executor = net.simple_bind(None, x=(4, 5), h=(4, 64))
    executor.arg_dict["h"][:] = 1
    found, after = executor.forward(is_train=True)
    assert 0.2 < (found.asnumpy() == 1).mean() < 0.8
    np.testing.assert_array_equal(found.asnumpy(), after.asnumpy())


def test_a_modified_cell_is_not_called_itself():
    base = rnn.LSTMCell(4)
    cell = rnn.ZoneoutCell(base, 0.5)
    with pytest.raises(AssertionError, match="Call the modifier cell instead"):
        base.begin_state()
    assert [s.name for s in cell.begin_state(init_sym=sym.var)] == [
        "lstm_begin_state_0",
        "lstm_begin_state_1",
    ]
    assert cell.params is base.params
    assert cell.unpack_weights(cell.pack_weights(_gates())).keys() == _gates().keys()


def _gates():
    return {
        f"lstm_{group}_{gate}_{kind}": nd.ones((4, 4) if kind == "weight" else (4,))
        for group in ("i2h", "h2h")
        for gate in "ifco"
        for kind in ("weight", "bias")
    }


def test_cells_that_are_not_stepped_cannot_be_zoned_out():
    both = rnn.BidirectionalCell(rnn.RNNCell(2, prefix="l_"), rnn.RNNCell(2, prefix="r_"))
    for cell in (both, rnn.FusedRNNCell(4)):
        with pytest.raises(AssertionError, match="doesn't support zoneout"):
            rnn.ZoneoutCell(cell)
