"""Sample calls and references of layers whose weights have 8 or 4 bits, for ``opforge check``."""

from typing import Any

import numpy as np

from .layer_checks import layer_call
from .operators.dynamic_rnn import GATES
from .weights import dequantize_weight, quantize_weight

__all__ = ["DYNAMIC_REFERENCES", "DYNAMIC_SAMPLES"]


def _dense(rng: Any) -> list[dict[str, Any]]:
    found = []
    for bits, group_size in ((8, 0), (8, 32), (4, 0), (4, 32)):
        weight = rng.normal(size=(5, 70)).astype("float32")
        integers, scales = quantize_weight(weight, bits, group_size)
        options = {"num_hidden": 5, "bits": bits, "group_size": group_size}
        found.append(layer_call((3, 2, 35), integers, scales, (5,), **options))
        found.append(
            layer_call((3, 2, 70), integers, scales, no_bias=True, flatten=False, **options)
        )
    return found


def _recurrent(rng: Any) -> list[dict[str, Any]]:
    found = []
    kinds = ("lstm", 8, 0), ("gru", 4, 0), ("rnn_tanh", 8, 32), ("rnn_relu", 4, 32)
    for mode, bits, group_size in kinds:
        size, rows = 6, GATES[mode] * 6
        weights: list[Any] = []
        for length in (5, size):
            weight = rng.normal(scale=0.3, size=(rows, length)).astype("float32")
            weights += quantize_weight(weight, bits, group_size)
        states = [(3, size)] * (2 if mode == "lstm" else 1)
        options = {"mode": mode, "state_size": size, "bits": bits, "group_size": group_size}
        found.append(layer_call((4, 3, 5), *weights, (rows,), (rows,), *states, **options))
        last = {**options, "with_state": False, "reverse": True}
        found.append(layer_call((4, 3, 5), *weights, (rows,), (rows,), **last))
    return found


DYNAMIC_SAMPLES = {"_dynamic_dense": _dense, "_dynamic_rnn": _recurrent}


def _product(data: Any, integers: Any, scales: Any, group_size: int) -> Any:
    """Return the products of rows, which are quantized, with a weight."""
    rows = np.asarray(data, "float32")
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    factor = np.float32(127) / np.where(largest > 0, largest, np.float32(127))
    quantized = np.rint(rows * factor).astype("float64")
    scales = np.asarray(scales, "float64")
    weight = dequantize_weight(integers, scales, rows.shape[-1], group_size)
    return quantized @ weight.T * (largest / np.float32(127))


def _dense_reference(data: Any, integers: Any, scales: Any, *bias: Any, **options: Any) -> Any:
    rows = data.reshape(len(data), -1) if options.get("flatten", True) else data
    out = _product(rows, integers, scales, options["group_size"])
    return (out + bias[0] if bias else out).astype("float32")


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _advance(mode: str, data: Any, state: Any, h: Any, c: Any) -> tuple[Any, Any]:
    """Return the next state and cell, from what data and state contribute to the gates."""
    if mode == "lstm":
        i, f, g, o = np.split(data + state, 4, -1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        return _sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (r, z, n), (h_r, h_z, h_n) = np.split(data, 3, -1), np.split(state, 3, -1)
        z = _sigmoid(z + h_z)
        return (1 - z) * np.tanh(n + _sigmoid(r + h_r) * h_n) + z * h, c
    return (np.tanh if mode == "rnn_tanh" else lambda x: np.maximum(x, 0))(data + state), c


def _recurrent_reference(data: Any, *arrays: Any, **options: Any) -> Any:
    i2h, i2h_scale, h2h, h2h_scale, bias, h2h_bias, *states = arrays
    mode, group_size = options["mode"], options["group_size"]
    n_states = 2 if mode == "lstm" else 1
    zeros = np.zeros((data.shape[1], options["state_size"]))
    h, c, *_ = [*(states or [zeros] * n_states), zeros]
    inputs = _product(data, i2h, i2h_scale, group_size) + bias
    out = np.zeros((*data.shape[:2], options["state_size"]), "float32")
    order = range(len(data))
    for t in reversed(order) if options.get("reverse") else order:
        state = _product(h, h2h, h2h_scale, group_size) + h2h_bias
        h, c = _advance(mode, inputs[t], state, h, c)
        out[t] = h
    return (out, *(part.astype("float32") for part in (h, c)[:n_states]))


DYNAMIC_REFERENCES = {"_dynamic_dense": _dense_reference, "_dynamic_rnn": _recurrent_reference}
