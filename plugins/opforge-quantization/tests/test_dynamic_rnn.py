"""`_dynamic_rnn` and `QuantizedRecurrent`: recurrent layers with weights of 8 or 4 bits."""

import copy
import pickle

import numpy as np
import pytest
from opforge_quantization.dynamic_checks import DYNAMIC_REFERENCES
from opforge_quantization.operators.dynamic_rnn import GATES
from opforge_quantization.weights import quantize_weight

from opforge import gluon, init, nd, sym
from opforge.base.errors import ShapeError
from opforge.contrib.quantization import QuantizedDense, QuantizedRecurrent, quantize_dynamic
from opforge.gluon import nn, rnn

KINDS = [(8, 0), (8, 32), (4, 0), (4, 32)]


def call_of(mode, steps, n, channels, size, bits=8, group_size=0, **options):
    """Return the arrays and attributes of a call."""
    rng = np.random.default_rng(0)
    rows = GATES[mode] * size
    weights = []
    for length in (channels, size):
        weight = rng.normal(scale=0.3, size=(rows, length)).astype("float32")
        weights += quantize_weight(weight, bits, group_size)
    biases = [rng.normal(size=rows).astype("float32") for _ in range(2)]
    n_states = {True: 1 + (mode == "lstm"), False: 0}[options.get("with_state", True)]
    states = [rng.normal(size=(n, size)).astype("float32") for _ in range(n_states)]
    data = rng.normal(size=(steps, n, channels)).astype("float32")
    form = {"bits": bits, "group_size": group_size}
    return [data, *weights, *biases, *states], {
        **{"mode": mode, "state_size": size},
        **form,
        **options,
    }


def run(arrays, options):
    given = [nd.array(array, dtype=array.dtype) for array in arrays]
    return [out.asnumpy() for out in nd._dynamic_rnn(*given, **options)]


def check(arrays, options):
    want = DYNAMIC_REFERENCES["_dynamic_rnn"](*arrays, **options)
    for got, expected in zip(run(arrays, options), want, strict=True):
        # A state that differs by rounding may be rounded to the next integer.
        np.testing.assert_allclose(got, expected, rtol=0, atol=5e-3 * max(1, np.abs(got).max()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("size", [1, 7, 16, 33])
def test_modes_and_sizes(size, mode, kind):
    check(*call_of(mode, 3, 2, 5, size, *kind))


@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("options", [{"reverse": True}, {"with_state": False}])
@pytest.mark.parametrize("n", [1, 3, 5])
def test_directions_and_states(n, options, mode):
    check(*call_of(mode, 4, n, 40, 9, **options))


@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize(("steps", "n", "channels"), [(0, 2, 3), (2, 0, 3), (2, 3, 0)])
def test_empty_arrays(steps, n, channels, mode):
    arrays, options = call_of(mode, steps, n, channels, 4)
    arrays[2] = np.ones((len(arrays[1]), 1), "float32")
    out, *last = run(arrays, options)
    assert out.shape == (steps, n, 4)
    if steps == 0:
        for state, first in zip(last, arrays[7:], strict=True):
            np.testing.assert_array_equal(state, first)


@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_numbers_that_are_not_finite_reach_only_their_sequence(odd, mode):
    arrays, options = call_of(mode, 4, 3, 6, 5)
    want = run(arrays, options)[0]
    arrays[0][2, 1, 3] = odd
    got = run(arrays, options)[0]
    assert np.isnan(got[2:, 1]).all()
    np.testing.assert_array_equal(got[:2], want[:2])
    np.testing.assert_array_equal(got[:, [0, 2]], want[:, [0, 2]])


def test_misfits_raise():
    arrays, options = call_of("gru", 2, 3, 4, 5)
    with pytest.raises(ShapeError, match=r"'data' has shape \(2, 3\); expected \(steps, n, chan"):
        run([arrays[0][..., 0], *arrays[1:]], options)
    with pytest.raises(ShapeError, match=r"'state' has shape \(2, 5\); expected \(3, 5\)"):
        run([*arrays[:-1], arrays[-1][:2]], options)
    with pytest.raises(ShapeError, match=r"'i2h_weight' has shape \(15, 4\); expected \(18, 4\)"):
        run(arrays, {**options, "state_size": 6})
    graph = sym._dynamic_rnn(sym.var("x", shape=(2, 1, 3)), mode="lstm", state_size=4)
    assert graph.infer_shape()[1] == [(2, 1, 4), (1, 4), (1, 4)]


def layer_of(cls, **options):
    layer = cls(12, input_size=10, **options)
    layer.initialize(init.Uniform(0.3))
    return layer


LAYERS = [
    (rnn.LSTM, {}),
    (rnn.GRU, {"num_layers": 2}),
    (rnn.RNN, {"bidirectional": True}),
    (rnn.RNN, {"activation": "tanh", "layout": "NTC"}),
    (rnn.LSTM, {"num_layers": 2, "bidirectional": True, "layout": "NTC"}),
]


def data(*shape):
    return nd.array(np.random.default_rng(1).normal(size=shape))


@pytest.mark.parametrize(("cls", "options"), LAYERS)
@pytest.mark.parametrize(("bits", "bound"), [(8, 0.03), (4, 0.3)])
@pytest.mark.parametrize("hybridized", [False, True])
def test_layers_compute_nearly_the_same(hybridized, bits, bound, cls, options):
    layer, x = layer_of(cls, **options), data(3, 4, 10)
    n = 3 if options.get("layout") == "NTC" else 4
    states = [nd.random.normal(shape=info["shape"]) for info in layer.state_info(n)]
    want, (want_states) = layer(x), layer(x, states)
    made = quantize_dynamic(layer, bits)
    assert type(made) is QuantizedRecurrent and made.prefix == layer.prefix
    if hybridized:
        made.hybridize()
    for _ in range(2):
        np.testing.assert_allclose(made(x).asnumpy(), want.asnumpy(), atol=bound)
        out, last = made(x, states)
        np.testing.assert_allclose(out.asnumpy(), want_states[0].asnumpy(), atol=bound)
        for got, expected in zip(last, want_states[1], strict=True):
            np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), atol=bound)


def test_parameters_keep_their_values():
    layer = layer_of(rnn.LSTM, num_layers=2, bidirectional=True)
    made = quantize_dynamic(layer)
    for name in ("l0_i2h_weight", "r0_h2h_weight", "r1_i2h_weight"):
        want = getattr(layer, name).data().asnumpy()
        np.testing.assert_allclose(made.dequantized_weight(name), want, atol=0.3 / 200)
    bias = layer.l1_h2h_bias.data().asnumpy()
    np.testing.assert_array_equal(made.l1_h2h_bias.data().asnumpy(), bias)
    assert repr(made) == (
        "QuantizedRecurrent(10 -> 12, lstm, TNC, num_layers=2, bidirectional, 8 bits)"
    )


class LanguageModel(gluon.HybridBlock):
    """Words to scores of the next ones."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(20, 10)
            self.layers = rnn.LSTM(12, 2, input_size=10, dropout=0.5)
            self.scores = nn.Dense(20, flatten=False, in_units=12)

    def begin_state(self, n):
        return self.layers.begin_state(n)

    def hybrid_forward(self, F, x, states):
        out, states = self.layers(self.embedding(x), states)
        return self.scores(out), states


def test_a_language_model(tmp_path):
    net = LanguageModel()
    net.initialize(init.Uniform(0.3))
    words = nd.array([[1, 2], [3, 4], [5, 19]])
    want = net(words, net.begin_state(2))[0].asnumpy()
    quantize_dynamic(net)
    assert type(net.layers) is QuantizedRecurrent and type(net.scores) is QuantizedDense
    got, states = net(words, net.begin_state(2))
    np.testing.assert_allclose(got.asnumpy(), want, atol=0.02)
    # Two calls with the states of the first are one.
    first, states = net(words[:2], net.begin_state(2))
    second, states = net(words[2:], states)
    joined = nd.concat(first, second, dim=0).asnumpy()
    np.testing.assert_allclose(joined, got.asnumpy(), rtol=1e-6, atol=1e-6)
    net.save_parameters(str(tmp_path / "net.params"))
    again = quantize_dynamic(initialize(LanguageModel()))
    again.load_parameters(str(tmp_path / "net.params"))
    for found in (again, copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        np.testing.assert_array_equal(found(words, net.begin_state(2))[0].asnumpy(), got.asnumpy())


def initialize(net):
    net.initialize()
    return net


def test_exported_layers_load(tmp_path):
    net, x = quantize_dynamic(layer_of(rnn.GRU, num_layers=2)), data(3, 2, 10)
    net.hybridize()
    want = net(x).asnumpy()
    prefix = str(tmp_path / "net")
    net.export(prefix)
    loaded = gluon.SymbolBlock.imports(f"{prefix}-symbol.json", ["data"], f"{prefix}-0000.params")
    np.testing.assert_allclose(loaded(x).asnumpy(), want, rtol=1e-6, atol=1e-6)


def test_layers_without_a_quantized_form_stay():
    for layer in (
        layer_of(rnn.LSTM, projection_size=5),
        layer_of(rnn.LSTM, state_clip_min=-1, state_clip_max=1),
        layer_of(rnn.GRU, use_sequence_length=True),
        initialize(rnn.LSTMCell(4, input_size=3)),
    ):
        assert quantize_dynamic(layer) is layer


def test_wrong_numbers_of_states_raise():
    made = quantize_dynamic(layer_of(rnn.LSTM))
    with pytest.raises(ValueError, match=r"got 1 states; expected 2\. Use begin_state"):
        made(data(3, 2, 10), nd.zeros((1, 2, 12)))
