import numpy as np
import pytest

from opforge import nd, rnn, sym

pytestmark = pytest.mark.plugins
MODES = ["rnn_tanh", "rnn_relu", "lstm", "gru"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.filterwarnings("ignore:NTC layout detected")
def test_the_operator_equals_the_cells(mode, bidirectional, layout, values, evaluate):
    fused = rnn.FusedRNNCell(4, 2, mode, bidirectional, get_next_state=True, prefix="f_")
    outputs, states = fused.unroll(3, sym.var("data"), layout=layout, merge_outputs=True)
    shape = (3, 2, 5) if layout == "TNC" else (2, 3, 5)
    drawn = values(outputs, data=shape)
    got, *got_states = evaluate([outputs, *states], drawn)

    weights = {"f_parameters": nd.array(drawn.pop("f_parameters"), dtype="float32")}
    stack = fused.unfuse()
    packed = stack.pack_weights(fused.unpack_weights(weights))
    drawn |= {name: array.asnumpy() for name, array in packed.items()}
    outputs, states = stack.unroll(3, sym.var("data"), layout=layout, merge_outputs=True)
    expected, *own = evaluate([outputs, *_flat(states)], drawn)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
    n_kinds = len(got_states)
    for kind, state in enumerate(got_states):
        np.testing.assert_allclose(state, np.stack(own[kind::n_kinds]), rtol=1e-4, atol=1e-6)


def _flat(states):
    return [s for one in states for s in (one if isinstance(one, list) else [one])]


def test_weights_are_unpacked_and_packed():
    cell = rnn.FusedRNNCell(4, 2, "lstm", True, prefix="f_")
    vector = nd.array(np.arange(cell._packed.size(3)))
    unpacked = cell.unpack_weights({"f_parameters": vector, "x": nd.ones(1)})
    assert unpacked["f_l0_i2h_f_weight"].asnumpy().tolist() == [
        [12 + 3 * row + column for column in range(3)] for row in range(4)
    ]
    again = cell.pack_weights(unpacked)
    assert set(again) == {"f_parameters", "x"}
    np.testing.assert_array_equal(again["f_parameters"].asnumpy(), vector.asnumpy())


def test_names_of_unfused_cells():
    stack = rnn.FusedRNNCell(4, 3, "gru", True, dropout=0.5, prefix="test_").unfuse()
    outputs, _ = stack.unroll(2, [sym.var("x0"), sym.var("x1")])
    names = [output.name for output in outputs]
    assert names == ["test_bi_l2_t0", "test_bi_l2_t1"]


def test_it_is_neither_stepped_nor_given_another_layout():
    cell = rnn.FusedRNNCell(4)
    with pytest.raises(NotImplementedError, match="cannot be stepped"):
        cell(sym.var("x"), [])
    with pytest.raises(AssertionError, match="Unsupported layout NCT"):
        cell.unroll(3, sym.var("x"), layout="NCT")
    with pytest.warns(UserWarning, match="Consider using TNC"):
        cell.unroll(3, sym.var("x"))
    with pytest.raises(ValueError, match="mode is 'lstn'"):
        rnn.FusedRNNCell(4, mode="lstn")
