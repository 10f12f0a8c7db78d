import numpy as np
import pytest

from opforge import nd, rnn, sym

from .conftest import unrolled

pytestmark = pytest.mark.plugins


def both_ways(merge, **kwargs):
    cell = rnn.BidirectionalCell(
        rnn.LSTMCell(4, prefix="l_"), rnn.GRUCell(3, prefix="r_"), output_prefix="b_"
    )
    return cell.unroll(3, sym.var("data"), merge_outputs=merge, **kwargs)


@pytest.mark.parametrize("merge", [True, False, None])
def test_both_directions(merge, values, evaluate):
    outputs, (l_states, r_states) = both_ways(merge)
    if merge:
        assert outputs.list_outputs() == ["b_out_output"]
        symbols = [outputs]
    else:
        assert [o.name for o in outputs] == ["b_t0", "b_t1", "b_t2"]
        symbols = [sym.stack(*outputs, axis=1)]
    drawn = values(symbols[0], data=(2, 3, 5))
    left, left_states = unrolled("lstm", drawn["data"], drawn, "l_")
    right, right_states = unrolled("gru", drawn["data"], drawn, "r_", backward=True)
    got, *states = evaluate([*symbols, *l_states, *r_states], drawn)
    np.testing.assert_allclose(got, np.concatenate([left, right], axis=2), rtol=1e-4, atol=1e-6)
    for state, expected in zip(states, [*left_states, *right_states], strict=True):
        np.testing.assert_allclose(state, expected, rtol=1e-4, atol=1e-6)


def test_a_stack_passes_outputs_up(values, evaluate):
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.LSTMCell(4, prefix="a_"))
    stack.add(rnn.RNNCell(3, prefix="b_"))
    outputs, states = stack.unroll(3, sym.var("data"), merge_outputs=True)
    drawn = values(outputs, data=(2, 3, 5))
    below, below_states = unrolled("lstm", drawn["data"], drawn, "a_")
    expected, (last,) = unrolled("rnn", below, drawn, "b_")
    got, *got_states = evaluate([outputs, *states], drawn)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)
    for state, value in zip(got_states, [*below_states, last], strict=True):
        np.testing.assert_allclose(state, value, rtol=1e-4, atol=1e-6)


def test_a_stack_is_stepped():
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.LSTMCell(4, prefix="a_"))
    stack.add(rnn.DropoutCell(0.5))
    output, states = stack(sym.var("x"), stack.begin_state())
    assert output.infer_shape(x=(2, 3))[1] == [(2, 4)]
    assert len(states) == 2
    stack.add(rnn.BidirectionalCell(rnn.RNNCell(2, prefix="l_"), rnn.RNNCell(2, prefix="r_")))
    with pytest.raises(AssertionError, match="cannot be stepped"):
        stack(sym.var("x"), stack.begin_state())
    with pytest.raises(NotImplementedError, match="Please use unroll"):
        stack._cells[-1](sym.var("x"), [])


def test_weights_of_all_cells_are_unpacked():
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.RNNCell(2, prefix="a_"))
    stack.add(rnn.BidirectionalCell(rnn.GRUCell(2, prefix="l_"), rnn.GRUCell(2, prefix="r_")))
    args = {}
    for prefix, rows in (("a_", 2), ("l_", 6), ("r_", 6)):
        for group in ("i2h", "h2h"):
            args[f"{prefix}{group}_weight"] = nd.ones((rows, 2))
            args[f"{prefix}{group}_bias"] = nd.ones((rows,))
    unpacked = stack.unpack_weights(args)
    assert unpacked["r_i2h_z_weight"].shape == (2, 2)
    assert stack.pack_weights(unpacked).keys() == args.keys()


def test_variables_come_from_the_stack_or_from_the_cells():
    params = rnn.RNNParams("p_")
    stack = rnn.SequentialRNNCell(params=params)
    stack.add(rnn.RNNCell(2, prefix="a_"))
    assert "a_i2h_weight" in stack.params._params
    with pytest.raises(AssertionError, match="Either specify params for SequentialRNNCell or"):
        stack.add(rnn.RNNCell(2, prefix="b_", params=rnn.RNNParams("b_")))
