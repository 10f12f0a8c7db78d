import pytest

from opforge import rnn, sym
from opforge.rnn.sequences import arranged


@pytest.mark.parametrize("axis", [0, 1])
def test_steps_and_sequences(axis):
    data = sym.var("data")
    steps = arranged(data, 3, axis, False)
    shape = (3, 2, 5) if axis == 0 else (2, 3, 5)
    assert [s.infer_shape(data=shape)[1] for s in steps] == [[(2, 5)]] * 3
    merged = arranged(steps, 3, axis, True)
    assert merged.infer_shape(data=shape)[1] == [shape]
    assert arranged(steps, 3, axis, None) is steps
    assert arranged(data, 3, axis, True) is data


@pytest.mark.plugins
def test_rnn_unroll_is_deprecated():
    with pytest.warns(DeprecationWarning, match=r"call cell\.unroll directly"):
        outputs, _ = rnn.rnn_unroll(rnn.RNNCell(4), 2, sym.var("data"))
    assert len(outputs) == 2
