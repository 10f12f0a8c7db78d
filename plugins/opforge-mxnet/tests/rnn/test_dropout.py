import numpy as np
import pytest

from opforge import autograd, nd, rnn, sym


@pytest.mark.plugins
@pytest.mark.parametrize("merged", [True, False])
def test_dropout_of_a_whole_sequence_or_of_steps(merged):
    data = sym.var("data")
    inputs = data if merged else list(sym.split(data, num_outputs=3, axis=1, squeeze_axis=1))
    outputs, states = rnn.DropoutCell(0.5).unroll(3, inputs)
    assert states == []
    group = outputs if merged else sym.Group(outputs)
    assert group.tojson().count('"Dropout"') == (1 if merged else 3)
    executor = group.bind(None, {"data": nd.ones((4, 3, 5))})
    assert np.unique(executor.forward()[0].asnumpy()).tolist() == [1.0]
    with autograd.train_mode():
        trained = executor.forward(is_train=True)[0].asnumpy()
    assert set(np.unique(trained)) <= {0.0, 2.0}


def test_nothing_is_dropped_at_0():
    data = sym.var("data")
    assert rnn.DropoutCell(0).unroll(3, data)[0] is data
    with pytest.raises(AssertionError, match="must be a number"):
        rnn.DropoutCell("much")
