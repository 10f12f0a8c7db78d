"""Layers against their cells: calls, files and graphs."""

import numpy as np
import pytest

from opforge import MXNetError, autograd, gluon, init, nd, sym
from opforge.gluon import rnn

LAYERS = {
    "tanh": lambda **kw: rnn.RNN(4, activation="tanh", **kw),
    "relu": lambda **kw: rnn.RNN(4, activation="relu", **kw),
    "lstm": lambda **kw: rnn.LSTM(4, **kw),
    "gru": lambda **kw: rnn.GRU(4, **kw),
    "projected": lambda **kw: rnn.LSTM(4, projection_size=3, **kw),
}
EVERY_LAYER = pytest.mark.parametrize("kind", LAYERS)


def initialized(layer, scale=0.5):
    layer.initialize(init.Normal(scale))
    return layer


def arrays(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [nd.array(rng.uniform(-1, 1, shape)) for shape in shapes]


def step(function, x, parameters):
    """Return the outputs and the gradients of their sum of squares."""
    x.attach_grad()
    with autograd.record():
        outputs = function(x)
        loss = sum((output**2).sum() for output in outputs)
    loss.backward()
    gradients = {name: p.grad().asnumpy().copy() for name, p in parameters.items()}
    return [o.asnumpy() for o in outputs], {"x": x.grad.asnumpy(), **gradients}


def expect_equal(have, want):
    for a, b in zip(have[0], want[0], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert have[1].keys() == want[1].keys()
    for name, gradient in have[1].items():
        np.testing.assert_allclose(gradient, want[1][name], rtol=1e-3, atol=1e-4, err_msg=name)


@EVERY_LAYER
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_layer_agrees_with_its_cells(kind, layout, bidirectional):
    layer = initialized(LAYERS[kind](num_layers=2, layout=layout, bidirectional=bidirectional))
    (x,) = arrays((3, 3, 5))  # of three steps and three samples

    def fused(x):
        output, states = layer(x, layer.begin_state(3))
        return [output, *states]

    def by_cells(x):
        output, states = stack.unroll(3, x, layout=layout, merge_outputs=True)
        n_kinds = len(layer.state_info())
        return [output, *(nd.stack(*states[at::n_kinds], axis=0) for at in range(n_kinds))]

    first = step(fused, x, layer.collect_params())
    stack = layer._unfuse()
    expect_equal(step(by_cells, x, layer.collect_params()), first)


@EVERY_LAYER
def test_a_hybridized_layer_agrees(kind):
    layer = initialized(LAYERS[kind](num_layers=2, bidirectional=True))
    (x,) = arrays((3, 2, 5))
    states = arrays(*(info["shape"] for info in layer.state_info(2)), seed=1)

    def run(x):
        output, found = layer(x, states)
        return [layer(x), output, *found]

    plain = step(run, x, layer.collect_params())
    layer.hybridize()
    expect_equal(step(run, x, layer.collect_params()), plain)


def test_states_are_returned_if_given():
    layer = initialized(rnn.GRU(4))
    (x,) = arrays((3, 2, 5))
    for active in (False, True):
        layer.hybridize(active)
        assert layer(x).shape == (3, 2, 4)
        output, states = layer(x, layer.begin_state(2)[0])  # one array is a list of one
        assert output.shape == (3, 2, 4) and [s.shape for s in states] == [(1, 2, 4)]
        assert layer(x).shape == (3, 2, 4)


def test_one_trace_works_for_all_lengths():
    net = gluon.nn.HybridSequential()
    net.add(rnn.LSTM(4), gluon.nn.Dense(3, flatten=False))
    initialized(net).hybridize()
    for shape in ((3, 2, 5), (7, 2, 5), (4, 6, 5)):
        assert net(nd.ones(shape)).shape == (*shape[:2], 3)
    assert net._graph.last_trace().is_general


@pytest.mark.parametrize("active", [False, True])
def test_sequences_of_different_lengths(active):
    layer = initialized(rnn.LSTM(4, use_sequence_length=True))
    (x,) = arrays((3, 2, 5))
    layer.hybridize(active)
    output, (h, _) = layer(x, layer.begin_state(2), nd.array([1, 3]))
    assert (output.asnumpy()[1:, 0] == 0).all()
    np.testing.assert_array_equal(h.asnumpy()[0, 0], output.asnumpy()[0, 0])
    np.testing.assert_array_equal(h.asnumpy()[0, 1], output.asnumpy()[2, 1])


def test_clipping_reaches_the_operator():
    layer = initialized(rnn.LSTM(4, state_clip_min=-0.01, state_clip_max=0.01), 3)
    (x,) = arrays((3, 2, 5))
    _, (_, memory) = layer(x, layer.begin_state(2))
    assert abs(memory.asnumpy()).max() <= np.float32(0.01)
    with pytest.raises(AssertionError, match="does not support state clipping"):
        layer._unfuse()


def test_cast_changes_initial_states():
    layer = initialized(rnn.LSTM(4))
    layer.cast("float64")
    assert {s.dtype for s in layer.begin_state(2)} == {np.float64}
    assert layer(nd.ones((3, 2, 5), dtype="float64")).dtype == np.float64


def test_begin_state_takes_a_function():
    layer = rnn.LSTM(4, 2, prefix="p_")
    h, c = layer.begin_state(func=sym.var)
    assert (h.name, c.name) == ("p_h0_0", "p_h0_1")
    assert (layer.begin_state(3, func=nd.ones)[0].asnumpy() == 1).all()


def test_a_state_of_another_shape_raises():
    layer = initialized(rnn.LSTM(4, prefix="p_"))
    match = r"Invalid recurrent state shape. Expecting \[\(1, 3, 4\), .* got \[\(1, 2, 4\)"
    with pytest.raises(ValueError, match=match):
        layer(nd.ones((5, 3, 2)), [nd.ones((1, 2, 4))] * 2)
    with pytest.raises(AssertionError, match="Invalid layout NT"):
        rnn.LSTM(4, layout="NT")


@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("input_size", [0, 4])
def test_invalid_inputs_and_missing_states_raise(active, input_size):
    layer = initialized(rnn.LSTM(4, input_size=input_size, prefix="p_"))
    layer.hybridize(active)
    for shape in ((4,), (3, 4), (1, 2, 3, 4)):
        with pytest.raises(MXNetError, match=r"three dimensions|expected 3: \(steps, n, channels"):
            layer(nd.ones(shape))
    with pytest.raises(ValueError, match="p got 1 states; expected 2"):
        layer(nd.ones((3, 2, 4)), layer.begin_state(2)[:1])


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (rnn.LSTM(5), "LSTM(None -> 5, TNC)"),
        (rnn.GRU(5, input_size=4, layout="NTC"), "GRU(4 -> 5, NTC)"),
        (
            rnn.RNN(5, 3, dropout=0.2, bidirectional=True),
            "RNN(None -> 5, TNC, num_layers=3, dropout=0.2, bidirectional)",
        ),
    ],
)
def test_repr(layer, text):
    assert repr(layer) == text


def test_files_use_the_names_of_unfused_cells(tmp_path):
    one, many = rnn.LSTM(4), rnn.GRU(4, 12, bidirectional=True)
    assert list(one._collect_params_with_prefix("0")) == [
        f"0._unfused.0.{name}" for name in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias")
    ]
    assert "_unfused.11.r_cell.h2h_bias" in many._collect_params_with_prefix()
    path = str(tmp_path / "layer.params")
    initialized(one)
    (x,) = arrays((3, 2, 5))
    expected = one(x).asnumpy()
    one.save_parameters(path)
    other = rnn.LSTM(4)
    other.load_parameters(path)
    np.testing.assert_array_equal(other(x).asnumpy(), expected)


def test_layers_and_cells_have_the_same_full_names(tmp_path):
    layer = initialized(rnn.LSTM(4, 2, prefix="p_", bidirectional=True, input_size=5))
    (x,) = arrays((3, 2, 5))
    expected = layer(x).asnumpy()
    path = str(tmp_path / "cells.params")
    layer.collect_params().save(path)
    stack = rnn.LSTM(4, 2, prefix="p_", bidirectional=True, input_size=5)._unfuse()
    stack.collect_params().load(path)
    got = stack.unroll(3, x, layout="TNC", merge_outputs=True)[0]
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("states", [False, True])
def test_a_layer_is_exported_and_imported(tmp_path, states):
    layer = initialized(rnn.LSTM(4, bidirectional=True))
    layer.hybridize()
    x, *given = arrays((3, 2, 5), *([(2, 2, 4)] * 2 * states))
    expected = layer(x, given) if states else layer(x)
    flat = [expected[0], *expected[1]] if states else [expected]
    names = ["data0", "data1", "data2"]
    loaded = gluon.SymbolBlock.imports(*_export_and_load(layer, tmp_path, names))
    found = loaded(x, *(given or layer.begin_state(2)))
    for a, b in zip(found if states else [found], flat, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    # Other batch sizes and lengths.
    (longer,) = arrays((6, 5, 5))
    if not states:
        found = loaded(longer, *layer.begin_state(5))
        np.testing.assert_array_equal(found.asnumpy(), layer(longer).asnumpy())


@pytest.mark.parametrize("use_sequence_length", [False, True])
def test_exported_inputs_are_those_of_mxnet(tmp_path, use_sequence_length):
    layer = initialized(rnn.LSTM(4, use_sequence_length=use_sequence_length))
    layer.hybridize()
    (x,) = arrays((3, 2, 5))
    lengths = [nd.array([1, 3])] if use_sequence_length else []
    layer(x, None, *lengths)
    symbol_file, *_ = _export_and_load(layer, tmp_path, [])
    graph = sym.load(symbol_file)
    found = [name for name in graph.list_inputs() if name.startswith("data")]
    assert sorted(found) == ["data0", "data1", "data2", "data3"][: 3 + len(lengths)]
    assert len(graph.list_outputs()) == 1


def _export_and_load(layer, folder, names):
    layer.export(str(folder / "net"))
    return str(folder / "net-symbol.json"), names, str(folder / "net-0000.params")


def test_a_composed_layer_infers_the_size_of_its_inputs():
    """Both directions of the first layer have weights of unknown size."""
    layer = rnn.LSTM(4, 2, bidirectional=True, prefix="l_")
    composed = layer(sym.var("data"))
    shapes, outputs, _ = composed.infer_shape(data=(3, 1, 5))
    known = dict(zip(composed.list_arguments(), shapes, strict=True))
    assert known["l_l0_i2h_weight"] == known["l_r0_i2h_weight"] == (16, 5)
    assert known["l_l1_i2h_weight"] == (16, 8)
    assert outputs == [(3, 1, 8)]
