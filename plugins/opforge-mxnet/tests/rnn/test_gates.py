import pytest
from opforge_mxnet.rnn.gates import GatedCell

from opforge import rnn, sym


@pytest.mark.parametrize("kind", [rnn.RNNCell, rnn.LSTMCell, rnn.GRUCell])
def test_node_names_start_with_the_prefix_and_the_step(kind):
    cell = kind(4, prefix="p_")
    output, states = cell(sym.var("data"), cell.begin_state())
    assert output.name == "p_t0_out"
    assert len(states) == len(cell.state_info)


def test_a_gated_cell_defines_its_products():
    with pytest.raises(NotImplementedError):
        GatedCell()(sym.var("data"), [sym.var("state")])
