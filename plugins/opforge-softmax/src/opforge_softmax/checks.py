"""Sample calls and references in float64 for ``opforge check``."""

from typing import Any

import numpy as np


def softmax(data: Any, axis: int = -1, temperature: float | None = 1.0) -> Any:
    """Return the softmax."""
    return np.exp(log_softmax(data, axis, temperature))


def log_softmax(data: Any, axis: int = -1, temperature: float | None = 1.0) -> Any:
    """Return the logarithm of the softmax, avoiding overflow."""
    scaled = data / (temperature or 1.0)
    shifted = scaled - scaled.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def softmin(data: Any, axis: int = -1, temperature: float | None = 1.0) -> Any:
    """Return the softmax of the negated data."""
    return softmax(-data, axis, temperature)


def masked_softmax(data: Any, length: Any = None, **attributes: Any) -> Any:
    """Return the softmax of all elements, or of the first `length` elements of each slice."""
    attributes.pop("use_length", None)
    if length is None:
        return softmax(data, **attributes)
    axis = attributes.get("axis", -1)
    rows = np.moveaxis(data, axis, -1)
    out = np.zeros_like(rows)
    for row in np.ndindex(length.shape):
        n = int(length[row])
        if n > 0:
            out[row][:n] = softmax(rows[row][:n], -1, attributes.get("temperature"))
    return np.moveaxis(out, -1, axis)


def activation(data: Any, mode: str = "instance") -> Any:
    """Return the result of SoftmaxActivation."""
    return softmax(data, 1 if mode == "channel" else -1)


def summed_cross_entropy(data: Any, label: Any) -> Any:
    """Return the sum of the cross-entropies of all rows."""
    return cross_entropy(data, label).sum().reshape(1)


def backward_softmax(dy: Any, y: Any, axis: int = -1, scale: float = 1.0) -> Any:
    """Return the gradient of softmax from its result."""
    return scale * y * (dy - (dy * y).sum(axis, keepdims=True))


def backward_log_softmax(dy: Any, y: Any, axis: int = -1, scale: float = 1.0) -> Any:
    """Return the gradient of log_softmax from its result."""
    return scale * (dy - np.exp(y) * dy.sum(axis, keepdims=True))


def cross_entropy(data: Any, label: Any) -> Any:
    """Return the negative log probability of the label."""
    indices = label.astype(int)[..., np.newaxis]
    return -np.take_along_axis(log_softmax(data), indices, -1).squeeze(-1)


def backward_cross_entropy(dy: Any, data: Any, label: Any, moments: Any) -> Any:
    """Return the gradient of `cross_entropy` with respect to data."""
    one_hot = np.arange(data.shape[-1]) == label[..., np.newaxis]
    return (softmax(data) - one_hot) * dy[..., np.newaxis]


def classes(shape: tuple[int, ...], count: int) -> Any:
    """Return an array of `shape` that cycles through the classes 0 to `count` - 1."""
    return np.resize(np.arange(count), shape)


def moments(data: Any) -> Any:
    """Return the maximum of each row and the reciprocal of its sum of exponentials."""
    maximum = data.max(-1, keepdims=True)
    return np.concatenate([maximum, 1 / np.exp(data - maximum).sum(-1, keepdims=True)], -1)


def backward_samples(rng: Any) -> list[Any]:
    """Return consistent samples of gradients, data, labels and moments."""
    samples = []
    for shape in ((5, 4), (2, 3, 4)):
        data, rows = rng.standard_normal(shape), shape[:-1]
        inputs = [rng.standard_normal(rows), data, classes(rows, 4), moments(data)]
        # Moments depend on data, so neither can be perturbed alone.
        samples.append({"inputs": inputs, "wanted": [0]})
    return samples


#: No samples with `dtype`: results have the accuracy of that type, which the plugin's tests cover.
ALONG_AXES: list[Any] = [
    [(4, 3)],
    {"inputs": [(2, 3, 4)], "attributes": {"axis": 1, "temperature": 0.5}},
    {"inputs": [(2, 3)], "attributes": {"axis": 0}},
]
OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "softmax": {
        "reference": masked_softmax,
        "samples": [
            *ALONG_AXES,
            *(
                {
                    "inputs": [(2, 3, 4), np.array(length, dtype="int32")],
                    "attributes": {"axis": axis, "use_length": True},
                    "wanted": [0],
                }
                for axis, length in (
                    (-1, [[4, 0, 1], [2, 3, 9]]),
                    (1, [[1, 2, 3, 0], [3, 2, -1, 1]]),
                )
            ),
        ],
    },
    "SoftmaxActivation": {
        "reference": activation,
        "samples": [
            {"inputs": [(2, 3, 4)], "attributes": {"mode": mode}}
            for mode in ("instance", "channel")
        ],
    },
    "softmax_cross_entropy": {
        "reference": summed_cross_entropy,
        "samples": [[(5, 4), classes((5,), 4)]],
    },
    "log_softmax": {"reference": log_softmax, "samples": ALONG_AXES},
    "softmin": {"reference": softmin, "samples": ALONG_AXES},
    "_backward_softmax": {"reference": backward_softmax},
    "_backward_log_softmax": {
        "reference": backward_log_softmax,
        "expected_failures": {
            "special values": "y is a log probability; exp of values above 88 overflows in float32"
        },
    },
    "_softmax_cross_entropy": {
        "reference": cross_entropy,
        "samples": [[(5, 4), classes((5,), 4)], [(2, 3, 4), classes((2, 3), 4)]],
    },
    "_backward_softmax_cross_entropy": {
        "reference": backward_cross_entropy,
        "samples": backward_samples,
    },
    "SoftmaxOutput": {
        "samples": [
            [(5, 4), classes((5,), 4)],
            [(5, 4), (5, 4)],
            *(
                {"inputs": [(5, 4), classes((5,), 4)], "attributes": attributes}
                for attributes in (
                    {"grad_scale": 0.5, "normalization": "batch"},
                    {"use_ignore": True, "ignore_label": 1, "normalization": "valid"},
                    {"smooth_alpha": 0.1},
                    {"out_grad": True},
                )
            ),
            {"inputs": [(5, 4, 3), classes((5, 3), 4)], "attributes": {"multi_output": True}},
            {"inputs": [(5, 3, 4), classes((5, 3), 4)], "attributes": {"preserve_shape": True}},
        ],
    },
}
