import numpy as np
import pytest

from opforge import init, rnn, sym

from .conftest import unrolled

CELLS = {"rnn": rnn.RNNCell, "lstm": rnn.LSTMCell, "gru": rnn.GRUCell}

pytestmark = pytest.mark.plugins


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
def test_cells_match_their_formulas(kind, layout, values, evaluate):
    outputs, states = CELLS[kind](4, prefix="p_").unroll(
        3, sym.var("data"), layout=layout, merge_outputs=True
    )
    shape = (2, 3, 5) if layout == "NTC" else (3, 2, 5)
    drawn = values(sym.Group([outputs, *states]), data=shape)
    data = drawn["data"] if layout == "NTC" else drawn["data"].swapaxes(0, 1)
    expected, expected_states = unrolled(kind, data, drawn, "p_")
    got, *got_states = evaluate([outputs, *states], drawn)
    got = got if layout == "NTC" else got.swapaxes(0, 1)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(got_states, expected_states, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", CELLS)
def test_names_are_mxnets(kind):
    outputs, _ = CELLS[kind](4, prefix="rnn_").unroll(2, [sym.var(f"t{t}") for t in range(2)])
    group = sym.Group(outputs)
    assert group.list_outputs() == ["rnn_t0_out_output", "rnn_t1_out_output"]
    assert set(group.list_arguments()) == {
        "t0",
        "t1",
        *(f"rnn_{part}" for part in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")),
    }


def test_an_activation_may_be_a_function(values, evaluate):
    cell = rnn.RNNCell(4, activation=lambda x, name: sym.identity(x * 2, name=name))
    output, _ = cell(sym.var("x"), [sym.var("h")])
    drawn = values(output, x=(2, 3), h=(2, 4))
    expected = 2 * (
        drawn["x"] @ drawn["rnn_i2h_weight"].T
        + drawn["rnn_i2h_bias"]
        + drawn["h"] @ drawn["rnn_h2h_weight"].T
        + drawn["rnn_h2h_bias"]
    )
    np.testing.assert_allclose(evaluate(output, drawn)[0], expected, rtol=1e-4, atol=1e-6)


def test_the_forget_gates_bias_has_its_own_beginning():
    bias = rnn.LSTMCell(4, forget_bias=3.0).params.get("i2h_bias")
    assert bias.attr("__init__") == init.LSTMBias(3.0).dumps()
