from opforge import rnn


def test_variables_are_made_once():
    params = rnn.RNNParams("p_")
    weight = params.get("weight", shape=(2, 3))
    assert params.get("weight") is weight
    assert (weight.name, weight.attr("__shape__")) == ("p_weight", "(2, 3)")


def test_cells_share_a_container():
    first = rnn.RNNCell(2, prefix="p_")
    second = rnn.RNNCell(2, prefix="q_", params=first.params)
    assert second._iW is first._iW
