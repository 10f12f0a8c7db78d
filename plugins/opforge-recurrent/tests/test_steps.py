"""RNN over a sequence agrees with single steps, for all kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_recurrent.references import GATES, parameter_count

from opforge import autograd, cpu, engine, nd, sym


def step_by_step(data, parameters, *states, **attributes):
    """Return the outputs of calls for one step each, which pass on their states."""
    found = []
    for step in range(data.shape[0]):
        output, *states = nd.RNN(data[step : step + 1], parameters, *states, **attributes)
        found.append(output)
    return [nd.concat(*found, dim=0), *states]


def both(function, arrays, attributes):
    """Return the outputs and the gradients of their weighted sum."""
    inputs = [nd.array(x, dtype=x.dtype) for x in arrays]
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        outputs = function(*inputs, state_outputs=True, num_layers=1, **attributes)
    heads = [nd.array(np.cos(np.arange(y.size)).reshape(y.shape), dtype=y.dtype) for y in outputs]
    autograd.backward(outputs, heads)
    return [y.asnumpy() for y in [*outputs, *(x.grad for x in inputs)]]


@settings(max_examples=60, deadline=None)
@given(
    mode=st.sampled_from(sorted(GATES)),
    dtype=st.sampled_from(["float32", "float64"]),
    steps=st.integers(1, 9),
    batch=st.integers(1, 30),
    size=st.integers(1, 80),
    seed=st.integers(0, 99),
)
def test_a_sequence_agrees_with_single_steps(mode, dtype, steps, batch, size, seed):
    rng = np.random.default_rng(seed)
    shapes = [(steps, batch, 3), (parameter_count(mode, 3, size),), (1, batch, size)]
    shapes += [(1, batch, size)] if mode == "lstm" else []
    spread = [0.3, 0.15, 0.3, 0.3]
    arrays = [
        rng.normal(0, by, shape).astype(dtype) for by, shape in zip(spread, shapes, strict=False)
    ]
    attributes = {"mode": mode, "state_size": size}
    whole, parts = (both(f, arrays, attributes) for f in (nd.RNN, step_by_step))
    tolerance = 1e-4 if dtype == "float32" else 1e-11
    for one, other in zip(whole, parts, strict=True):
        scale = 1 + np.abs(other).max()
        np.testing.assert_allclose(one / scale, other / scale, tolerance, tolerance)


@pytest.mark.parametrize("mode", sorted(GATES))
def test_results_do_not_depend_on_the_number_of_threads(mode):
    rng = np.random.default_rng(1)
    shapes = [(5, 17, 3), (parameter_count(mode, 3, 100, 1, True),), (2, 17, 100)]
    shapes += [(2, 17, 100)] if mode == "lstm" else []
    arrays = [rng.normal(0, 0.2, shape).astype("float32") for shape in shapes]
    attributes = {"mode": mode, "state_size": 100, "bidirectional": True}
    found = []
    for threads in (1, 2, 3):
        before = engine.set_num_threads(threads)
        try:
            found.append(both(nd.RNN, arrays, attributes))
        finally:
            engine.set_num_threads(before)
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(one, two, 1e-4, 1e-5)


def test_a_recurrent_layer_that_mxnet_saved():
    variable = [
        {"op": "null", "name": name, "inputs": []} for name in ("x", "w", "r", "b", "d", "h")
    ]
    flat = [
        {"op": "Reshape", "name": f"flat{at}", "attrs": {"shape": "-1"}, "inputs": [[at, 0, 0]]}
        for at in range(1, 5)
    ]
    joined = {"op": "_rnn_param_concat", "name": "joined", "attrs": {"dim": "0", "num_args": "4"}}
    joined["inputs"] = [[at, 0, 0] for at in range(6, 10)]
    attrs = {"bidirectional": "False", "mode": "rnn_tanh", "num_layers": "1", "state_size": "4"}
    attrs |= {"p": "0", "state_outputs": "True", "projection_size": "None"}
    attrs |= {"lstm_state_clip_min": "None", "lstm_state_clip_max": "None"}
    rnn = {"op": "RNN", "name": "rnn", "attrs": attrs, "inputs": [[0, 0, 0], [10, 0, 0], [5, 0, 0]]}
    graph = {"nodes": [*variable, *flat, joined, rnn], "arg_nodes": list(range(6))}
    graph |= {"heads": [[11, 0, 0], [11, 1, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    net = sym.load_json(str(graph).replace("'", '"'))
    assert net.list_outputs() == ["rnn_output", "rnn_state_output"]
    rng = np.random.default_rng(2)
    shapes = {"x": (3, 2, 3), "w": (4, 3), "r": (4, 4), "b": (4,), "d": (4,), "h": (1, 2, 4)}
    given = {name: nd.array(rng.normal(size=shape)) for name, shape in shapes.items()}
    outputs = net.bind(cpu(), args=given).forward()
    packed = nd.concat(*(given[name].reshape(-1) for name in "wrbd"), dim=0)
    known = {"state_size": 4, "num_layers": 1, "mode": "rnn_tanh", "state_outputs": True}
    want = nd.RNN(given["x"], packed, given["h"], **known)
    for one, other in zip(outputs, want, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), 1e-6, 1e-6)
