"""Predictions without a reserve: the same results in less memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_recurrent.references import parameter_count

from opforge import autograd, gluon, nd, sym
from opforge.base.errors import OpforgeError
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")


def arguments(rng, mode, sizes, dtype, lengths=None, projection=None):
    """Return arrays for (steps, batch, channels), and the attributes."""
    (steps, batch, channels), size, layers, both = sizes
    count = parameter_count(mode, channels, size, layers, both, projection)
    strands = layers * (1 + both)
    shapes = [(steps, batch, channels), (count,), (strands, batch, projection or size)]
    shapes += [(strands, batch, size)] if mode == "lstm" else []
    arrays = [nd.array(rng.uniform(-0.5, 0.5, shape), dtype=dtype) for shape in shapes]
    attributes = {"mode": mode, "state_size": size, "num_layers": layers, "bidirectional": both}
    if projection:
        attributes["projection_size"] = projection
    if lengths is not None:
        arrays.append(nd.array(lengths, dtype="int32"))
        attributes["use_sequence_length"] = True
    return arrays, {**attributes, "state_outputs": True}


def expect_equal(arrays, attributes):
    want, have = nd.RNN(*arrays, **attributes), nd._internal._RNN_prediction(*arrays, **attributes)
    assert len(have) == len(want)
    for a, b in zip(have, want, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@settings(max_examples=60, deadline=None)
@given(
    mode=st.sampled_from(MODES),
    sizes=st.tuples(
        # Sums of 128 rows are buffered: these have fewer and more steps.
        st.tuples(st.integers(1, 9), st.sampled_from([1, 3, 33, 130]), st.integers(1, 20)),
        st.sampled_from([1, 5, 64, 70]),
        st.integers(1, 3),
        st.booleans(),
    ),
    dtype=st.sampled_from(["float16", "float32", "float64"]),
    has_lengths=st.booleans(),
    seed=st.integers(0, 1 << 20),
)
def test_predictions_agree_with_the_recorded_operator(mode, sizes, dtype, has_lengths, seed):
    rng = np.random.default_rng(seed)
    steps, batch, _ = sizes[0]
    lengths = rng.integers(0, steps + 1, batch) if has_lengths else None
    expect_equal(*arguments(rng, mode, sizes, dtype, lengths))


def test_projected_states():
    rng = np.random.default_rng(0)
    expect_equal(*arguments(rng, "lstm", ((5, 4, 6), 7, 3, True), "float32", None, 3))


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3)])
def test_no_steps_and_no_sequences(shape):
    rng = np.random.default_rng(0)
    expect_equal(*arguments(rng, "lstm", (shape, 4, 2, False), "float32"))


def arena(predicting, mode="lstm", layers=1):
    variables = [sym.var(name) for name in ("data", "parameters", "state")]
    variables += [sym.var("cell")] if mode == "lstm" else []
    found = sym.RNN(*variables, mode=mode, state_size=256, num_layers=layers)
    lowered = lower(found, {"data": (35, 32, 128)}, {}, predicting)
    return compile_graph(lowered, {}).layout.nbytes


@pytest.mark.parametrize("mode", MODES)
def test_a_compiled_prediction_needs_less_than_half_the_memory(mode):
    assert arena(True, mode) < arena(False, mode) / 2


def test_layers_share_the_buffer_of_their_sums():
    """Another layer needs memory only for the states in between, which two layers already have."""
    states = 35 * 32 * 256 * 4
    assert arena(True, layers=3) - arena(True, layers=2) < 2 * states
    assert abs(arena(True, layers=9) - arena(True, layers=3)) < 1 << 14
    assert arena(False, layers=9) > 2 * arena(False, layers=3)


def bits(array):
    return array.asnumpy().tobytes()


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_layer_agrees_in_all_modes(hybridized):
    net = gluon.rnn.LSTM(6, num_layers=2, bidirectional=True, dropout=0.9)
    net.initialize()
    if hybridized:
        net.hybridize()
    x = nd.random.uniform(shape=(4, 3, 5))
    want = bits(net(x))
    with autograd.record(train_mode=False):
        y = net(x)
    y.backward()
    assert bits(y) == want
    gradients = [bits(p.grad()) for p in net.collect_params().values()]
    assert any(any(gradient) for gradient in gradients)
    # Dropout applies in training mode, even without recording.
    with autograd.train_mode():
        assert bits(net(x)) != want


def test_a_prediction_has_no_gradient():
    rng = np.random.default_rng(0)
    arrays, attributes = arguments(rng, "gru", ((2, 3, 4), 5, 1, False), "float32")
    arrays[0].attach_grad()
    with autograd.record():
        outputs = nd._internal._RNN_prediction(*arrays, **attributes)
    with pytest.raises(OpforgeError):
        outputs[0].backward()
