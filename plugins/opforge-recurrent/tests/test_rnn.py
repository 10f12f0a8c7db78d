"""RNN against NumPy, step by step: values, gradients, lengths, rejected arguments."""

import numpy as np
import pytest
from opforge_recurrent.operators import RNN
from opforge_recurrent.references import parameter_count, rnn

from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError
from opforge.testing import check_gradients, check_ways

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
EVERYTHING = [
    {"mode": mode, "num_layers": layers, "bidirectional": bidirectional}
    for mode in MODES
    for layers in (1, 2)
    for bidirectional in (False, True)
]
#: Batch sizes for which four steps are computed without and with packed weights.
FEW_AND_MANY = (3, 9)


def arrays(attributes, steps=4, batch=3, channels=5, dtype="float64", seed=0):
    """Return the data, parameters and states of RNN with these attributes."""
    rng = np.random.default_rng(seed)
    size, layers = attributes["state_size"], attributes["num_layers"]
    out = attributes.get("projection_size") or size
    strands = layers * (1 + attributes.get("bidirectional", False))
    names = ("state_size", "num_layers", "bidirectional", "projection_size")
    known = {name: attributes[name] for name in names if name in attributes}
    count = parameter_count(attributes["mode"], channels, **known)
    shapes = [(steps, batch, channels), (count,), (strands, batch, out)]
    shapes += [(strands, batch, size)] if attributes["mode"] == "lstm" else []
    return [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]


def both(inputs, **attributes):
    """Return the outputs and the gradients of their weighted sum."""
    given = [nd.array(x, dtype=x.dtype) for x in inputs]
    for x in given:
        x.attach_grad()
    with autograd.record():
        found = nd.RNN(*given, **attributes)
        outputs = found if isinstance(found, list) else [found]
    heads = [nd.array(np.cos(np.arange(y.size)).reshape(y.shape), dtype=y.dtype) for y in outputs]
    autograd.backward(outputs, heads)
    return [y.asnumpy() for y in outputs], [x.grad.asnumpy() for x in given]


def as_list(found):
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("attributes", EVERYTHING)
@pytest.mark.parametrize("batch", FEW_AND_MANY)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-12)])
def test_every_mode(attributes, batch, dtype, tolerance):
    attributes = {**attributes, "state_size": 7, "state_outputs": True}
    inputs = arrays(attributes, batch=batch, dtype=dtype)
    have, _ = both(inputs, **attributes)
    want = rnn(*[x.astype("float64") for x in inputs], **attributes)
    assert len(have) == len(want)
    for one, other in zip(have, want, strict=True):
        assert one.dtype == dtype
        np.testing.assert_allclose(one, other, tolerance, tolerance)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("steps", "batch", "channels"),
    [(7, 40, 5), (2, 128, 3), (33, 1, 2), (9, 4, 4097)],
    ids=["batches of steps", "one step per batch", "one batch of steps", "too many channels"],
)
def test_packed_input_weights(mode, dtype, steps, batch, channels):
    attributes = {"mode": mode, "num_layers": 2, "bidirectional": True, "state_size": 70}
    attributes |= {"state_outputs": True, "use_sequence_length": True}
    inputs = arrays(attributes, steps, batch, channels, dtype)
    inputs[1] *= 0.1
    lengths = (np.arange(batch) % (steps + 1)).astype(dtype)
    have = nd.RNN(*[nd.array(x, dtype=x.dtype) for x in [*inputs, lengths]], **attributes)
    want = rnn(*[x.astype("float64") for x in inputs], lengths, **attributes)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for one, other in zip(have, want, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, tolerance, tolerance)


@pytest.mark.parametrize("attributes", EVERYTHING)
@pytest.mark.parametrize("batch", FEW_AND_MANY)
def test_gradients_and_calling_forms(attributes, batch):
    attributes = {**attributes, "state_size": 3}
    inputs = arrays(attributes, batch=batch, channels=2)
    check_gradients(lambda *given: nd.RNN(*given, **attributes), inputs, rtol=1e-4)
    check_ways(lambda F, *given: F.RNN(*given, **attributes), inputs)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "float32"])
def test_sequences_end_at_their_lengths(mode, bidirectional, dtype):
    attributes = {"mode": mode, "num_layers": 2, "bidirectional": bidirectional, "state_size": 3}
    attributes |= {"state_outputs": True, "use_sequence_length": True}
    lengths = np.array([3, 0, 4, 1] * 3, dtype)
    inputs = [*arrays(attributes, batch=12, channels=2), lengths]
    have, grads = both(inputs, **attributes)
    for one, other in zip(have, rnn(*inputs, **attributes), strict=True):
        np.testing.assert_allclose(one, other, 1e-12, 1e-12)
    assert not grads[-1].any()
    inside = np.arange(4)[:, None] < lengths
    assert not grads[0][~inside].any()
    *rest, fixed = inputs
    fixed = nd.array(fixed, dtype=dtype)
    check_gradients(lambda *given: nd.RNN(*given, fixed, **attributes)[0], rest, rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_projected_state(dtype):
    attributes = {"mode": "lstm", "num_layers": 2, "bidirectional": True, "state_size": 5}
    attributes |= {"projection_size": 2, "state_outputs": True, "use_sequence_length": True}
    inputs = arrays(attributes, dtype=dtype)
    lengths = np.array([4, 2, 0], dtype)
    have, _ = both([*inputs, lengths], **attributes)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for one, other in zip(have, rnn(*inputs, lengths, **attributes), strict=True):
        np.testing.assert_allclose(one, other, tolerance, tolerance)
    if dtype == "float64":
        length = nd.array(lengths, dtype=dtype)
        for part in range(3):
            check_gradients(
                lambda *given, part=part: nd.RNN(*given, length, **attributes)[part],
                inputs,
                rtol=1e-4,
            )


def test_clipped_cells():
    attributes = {"mode": "lstm", "num_layers": 1, "state_size": 6, "state_outputs": True}
    clip = {"lstm_state_clip_min": -0.1, "lstm_state_clip_max": 0.2}
    inputs = arrays(attributes)
    have, _ = both(inputs, **attributes, **clip)
    for one, other in zip(have, rnn(*inputs, **attributes, **clip), strict=True):
        np.testing.assert_allclose(one, other, 1e-12, 1e-12)
    assert have[2].min() == -0.1 and have[2].max() == 0.2
    check_gradients(lambda *given: nd.RNN(*given, **attributes, **clip)[0], inputs, rtol=1e-4)


def test_nan_is_propagated_unless_clipped():
    attributes = {"mode": "lstm", "num_layers": 1, "state_size": 1, "state_outputs": True}
    inputs = arrays(attributes, steps=1)
    inputs[3][:, 1] = np.nan
    clip = {"lstm_state_clip_min": -0.1, "lstm_state_clip_max": 0.2}
    for stops in (False, True):
        have, _ = both(inputs, **attributes, **clip, lstm_state_clip_nan=stops)
        assert np.isnan(have[2]).ravel().tolist() == [False, not stops, False]


@pytest.mark.parametrize("mode", MODES)
def test_dropout_between_layers(mode):
    attributes = {"mode": mode, "num_layers": 3, "state_size": 4, "p": 0.5, "bidirectional": True}
    inputs = [nd.array(x, dtype=x.dtype) for x in arrays(attributes)]
    with autograd.predict_mode():
        predicted = nd.RNN(*inputs, **attributes).asnumpy()
    without = nd.RNN(*inputs, **{**attributes, "p": 0}).asnumpy()
    np.testing.assert_array_equal(predicted, without)
    inputs[0].attach_grad()
    found = []
    for step in (0, 1e-6, -1e-6):
        nd.random.seed(3)
        moved = inputs[0] + step
        moved.attach_grad()
        with autograd.record():
            y = nd.RNN(moved, *inputs[1:], **attributes)
        y.backward()
        found.append((y.sum().asscalar(), moved.grad.sum().asscalar()))
    assert abs(found[0][0] - without.sum()) > 1e-3
    # Only the elements that were kept have a gradient.
    slope = (found[1][0] - found[2][0]) / 2e-6
    np.testing.assert_allclose(found[0][1], slope, 1e-4, 1e-6)


def test_dropout_of_everything():
    attributes = {"mode": "gru", "num_layers": 2, "state_size": 4, "p": 1}
    have, grads = both(arrays(attributes), **attributes)
    assert np.isfinite(have[0]).all() and not grads[0].any()


@pytest.mark.parametrize("mode", MODES)
def test_float16_is_computed_in_float32(mode):
    attributes = {"mode": mode, "num_layers": 2, "state_size": 6, "state_outputs": True}
    inputs = arrays(attributes, dtype="float16")
    have, grads = both(inputs, **attributes)
    want, wanted = both([x.astype("float32") for x in inputs], **attributes)
    for one, other in zip([*have, *grads], [*want, *wanted], strict=True):
        assert one.dtype == np.float16
        np.testing.assert_allclose(one, other, 2e-2, 2e-2)


@pytest.mark.parametrize("shape", [(0, 2, 3), (3, 0, 3), (0, 0, 3)])
@pytest.mark.parametrize("mode", ["lstm", "gru"])
def test_empty_data(shape, mode):
    attributes = {"mode": mode, "num_layers": 1, "state_size": 2, "state_outputs": True}
    steps, batch, channels = shape
    inputs = arrays(attributes, steps, batch, channels)
    have, grads = both(inputs, **attributes)
    assert have[0].shape == (steps, batch, 2)
    for state, last, grad in zip(inputs[2:], have[1:], grads[2:], strict=True):
        np.testing.assert_array_equal(state, last)
        np.testing.assert_array_equal(grad, np.cos(np.arange(grad.size)).reshape(grad.shape))
    assert not grads[1].any()


BASE = {"mode": "lstm", "num_layers": 1, "state_size": 2}


@pytest.mark.parametrize(
    ("shapes", "attributes", "error", "message"),
    [
        ([(3, 2)], {}, ShapeError, "data has 2 dimensions; expected 3"),
        ([(3, 2, 4), (5,)], {}, ShapeError, r"'parameters': .*\[5\], inferred shape=\[64\]"),
        ([(3, 2, 4), None, (1, 1, 2)], {}, ShapeError, r"'state': .*\[1,1,2\]"),
        ([(3, 2, 4), None, None, (1, 2, 3)], {}, ShapeError, "'state_cell': Shape inconsistent"),
        ([(3, 0, 4), None, (1, 2, 2)], {}, ShapeError, "axis 1 of input 2 is 2; expected 0"),
        ([(3, 2, 4)], {"state_size": 0}, AttributeValueError, "state_size"),
        ([(3, 2, 4)], {"num_layers": 0}, AttributeValueError, "num_layers"),
        ([(3, 2, 4)], {"mode": "lstmp"}, AttributeValueError, "mode"),
        ([(3, 2, 4)], {"p": 1.5}, AttributeValueError, "p"),
        (
            [(3, 2, 4)],
            {"mode": "gru", "projection_size": 1},
            AttributeValueError,
            "projection_size is 1 with mode 'gru'",
        ),
        ([(3, 2, 4)], {"lstm_state_clip_min": 1}, AttributeValueError, "expected both or neither"),
        (
            [(3, 2, 4)],
            {"lstm_state_clip_min": 1, "lstm_state_clip_max": 0},
            AttributeValueError,
            "expected at most lstm_state_clip_max",
        ),
        (
            [(3, 2, 4)],
            {"state_size": 2**31 - 1, "num_layers": 2**31 - 1},
            ShapeError,
            "exceed 64 bits of memory",
        ),
    ],
)
def test_invalid_arguments_raise(shapes, attributes, error, message):
    right = [x.shape for x in arrays(BASE, 3, 2, 4)]
    given = [*shapes, *[None] * 4]
    inputs = [nd.ones(one or other) for one, other in zip(given, right, strict=False)]
    with pytest.raises(error, match=message):
        nd.RNN(*inputs, **{**BASE, **attributes})


@pytest.mark.parametrize("length", [-1, 5, np.nan, np.inf])
def test_invalid_lengths_raise(length):
    inputs = [nd.array(x) for x in [*arrays(BASE), [2, length, 1]]]
    with pytest.raises(ShapeError, match=r"sequence_length\[1\] is .*; expected 0 to 4"):
        nd.RNN(*inputs, use_sequence_length=True, **BASE)


def test_integer_data_raises():
    inputs = [nd.ones(x.shape, dtype="int32") for x in arrays(BASE)]
    with pytest.raises(DTypeError, match=r"RNN.*'data' has dtype int32.*astype"):
        nd.RNN(*inputs, **BASE)


@pytest.mark.parametrize("state_outputs", [False, True])
def test_the_reserve_has_no_gradient(state_outputs):
    prop = RNN(state_size=2, num_layers=1, mode="gru", state_outputs=state_outputs)
    n = len(prop.list_outputs())
    out_grad, in_data, out_data = range(n), range(n, n + 3), range(n + 3, 2 * n + 3)
    read = prop.declare_backward_dependency(out_grad, in_data, out_data)
    assert set(out_grad) - set(read) == {n - 1}
    assert set(in_data) <= set(read) and {out_data[0], out_data[-1]} <= set(read)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_relu_of_minus_infinity_is_zero(dtype):
    attributes = {"state_size": 1, "num_layers": 1, "mode": "rnn_relu"}
    data = nd.array([[[-np.inf], [np.inf], [np.nan]]], dtype=dtype)
    parameters = nd.array([1, 0, 0, 0], dtype=dtype)
    out = nd.RNN(data, parameters, nd.zeros((1, 3, 1), dtype=dtype), **attributes)
    np.testing.assert_array_equal(out.asnumpy().ravel(), [0, np.inf, np.nan])
