import numpy as np
import pytest

from opforge import rnn, sym

pytestmark = pytest.mark.plugins
CELLS = {"ConvRNN": rnn.ConvRNNCell, "ConvLSTM": rnn.ConvLSTMCell, "ConvGRU": rnn.ConvGRUCell}
SAME = {"rnn": rnn.RNNCell, "lstm": rnn.LSTMCell, "gru": rnn.GRUCell}


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_shapes(kind, layout):
    shape = (1, 3, 8, 6) if layout == "NCHW" else (1, 8, 6, 3)
    cell = CELLS[kind](shape, 4, i2h_stride=(2, 2), conv_layout=layout, activation="tanh")
    outputs, states = cell.unroll(2, [sym.var("x0"), sym.var("x1")])
    many = (5, *shape[1:])
    expected = (5, 4, 4, 3) if layout == "NCHW" else (5, 4, 3, 4)
    for found in (*outputs, *states):
        shapes = {name: many for name in found.list_arguments() if name in ("x0", "x1")}
        assert found.infer_shape(**shapes)[1] == [expected]
    assert outputs[0].list_outputs() == [f"{kind}_t0_out_output"]


@pytest.mark.parametrize("kind", SAME)
def test_one_pixel_is_the_dense_cell(kind, values, evaluate):
    def one(cell, shape):
        outputs, _ = cell.unroll(2, [sym.var("x0"), sym.var("x1")])
        return outputs[-1], {"x0": shape, "x1": shape}

    dense, shapes = one(SAME[kind](4, prefix="p_"), (2, 3))
    drawn = values(dense, **shapes)
    kernel = {"h2h_kernel": (1, 1), "i2h_kernel": (1, 1), "i2h_pad": (0, 0)}
    name = {"rnn": "ConvRNN", "lstm": "ConvLSTM", "gru": "ConvGRU"}[kind]
    cell = CELLS[name]((1, 3, 1, 1), 4, activation="tanh", prefix="p_", **kernel)
    pictures = {
        key: value[:, :, None, None] if value.ndim == 2 else value for key, value in drawn.items()
    }
    (got,) = evaluate(one(cell, None)[0], pictures)
    (expected,) = evaluate(dense, drawn)
    np.testing.assert_allclose(got[:, :, 0, 0], expected, rtol=1e-4, atol=1e-6)


def test_the_default_activation_is_leaky(values, evaluate):
    cell = rnn.ConvRNNCell((1, 2, 4, 4), 2, prefix="p_")
    output, _ = cell(sym.var("x"), cell.begin_state())
    drawn = values(output, x=(1, 2, 4, 4))
    plain = rnn.ConvRNNCell(
        (1, 2, 4, 4), 2, prefix="p_", activation=lambda x, name: sym.identity(x, name=name)
    )
    (linear,) = evaluate(plain(sym.var("x"), plain.begin_state())[0], drawn)
    (got,) = evaluate(output, drawn)
    np.testing.assert_allclose(
        got, np.where(linear > 0, linear, 0.2 * linear), rtol=1e-4, atol=1e-6
    )


def test_the_kernel_of_the_state_is_odd():
    with pytest.raises(AssertionError, match="Only support odd number"):
        rnn.ConvRNNCell((1, 3, 8, 8), 4, h2h_kernel=(2, 2))
