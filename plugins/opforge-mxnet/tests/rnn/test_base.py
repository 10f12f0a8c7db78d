import numpy as np
import pytest

from opforge import nd, rnn, sym


class Adding(rnn.BaseRNNCell):
    """Adds each input to the state."""

    @property
    def state_info(self):
        return [{"shape": (0, 3), "__layout__": "NC"}]

    def __call__(self, inputs, states):
        total = sym.elemwise_add(inputs, states[0], name=f"{self._next_name()}out")
        return total, [total]


def test_a_cell_of_ones_own_is_unrolled():
    outputs, (last,) = Adding("sum_").unroll(4, sym.var("data"), merge_outputs=True)
    assert last.list_outputs() == ["sum_t3_out_output"]
    (found,) = outputs.eval(data=nd.ones((2, 4, 3)))
    assert found.asnumpy()[0, :, 0].tolist() == [1, 2, 3, 4]


def test_states_to_begin_with():
    cell = Adding("sum_")
    (first,) = cell.begin_state()
    (second,) = cell.begin_state(func=sym.var)
    assert (first.name, second.name) == ("sum_begin_state_0", "sum_begin_state_1")
    assert second.attr("__layout__") == "NC"
    assert cell.state_shape == [(0, 3)]
    cell.reset()
    assert cell.begin_state()[0].name == "sum_begin_state_0"


def test_inputs_are_split_or_taken_as_they_are():
    steps = [sym.var(f"x{t}") for t in range(2)]
    outputs, _ = Adding().unroll(2, steps)
    assert [sorted(o.list_arguments()) for o in outputs] == [["x0"], ["x0", "x1"]]
    with pytest.raises(AssertionError, match="length=3 and a list of 2 inputs"):
        Adding().unroll(3, steps)
    with pytest.raises(AssertionError, match="doesn't allow grouped symbol"):
        Adding().unroll(2, sym.Group(steps))
    with pytest.raises(AssertionError, match="has been deprecated"):
        Adding().unroll(2, None)


def test_weights_are_unpacked_gate_by_gate_and_packed():
    cell = rnn.GRUCell(2, prefix="g_")
    packed = {
        f"g_{group}_{kind}": nd.array(np.random.default_rng(0).uniform(size=shape))
        for group in ("i2h", "h2h")
        for kind, shape in (("weight", (6, 2)), ("bias", (6,)))
    }
    unpacked = cell.unpack_weights({**packed, "other": nd.ones(1)})
    assert set(unpacked) == {"other"} | {
        f"g_{group}_{gate}_{kind}"
        for group in ("i2h", "h2h")
        for gate in "rzo"
        for kind in ("weight", "bias")
    }
    np.testing.assert_array_equal(
        unpacked["g_h2h_z_weight"].asnumpy(), packed["g_h2h_weight"].asnumpy()[2:4]
    )
    again = cell.pack_weights(unpacked)
    assert set(again) == {*packed, "other"}
    for name, array in packed.items():
        np.testing.assert_array_equal(again[name].asnumpy(), array.asnumpy())


def test_a_cell_without_gates_has_nothing_to_pack():
    args = {"x": nd.ones(1)}
    assert Adding().pack_weights(Adding().unpack_weights(args)) == args


def test_missing_methods_of_a_subclass_are_named():
    with pytest.raises(NotImplementedError, match=r"BaseRNNCell must define __call__"):
        rnn.BaseRNNCell()(None, [])
    with pytest.raises(NotImplementedError, match=r"BaseRNNCell must define the property state_"):
        rnn.BaseRNNCell().begin_state()
