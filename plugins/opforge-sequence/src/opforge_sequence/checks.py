"""What ``opforge check`` is told of these operators: calls to try and references in float64."""

from typing import Any

import numpy as np


def lengths_of(data: Any, lengths: Any, axis: int) -> Any:
    """Return the length of each sequence, and whether a step of (steps, batch) is in it."""
    steps, batch = data.shape[axis], data.shape[1 - axis]
    ends = np.full(batch, steps) if lengths is None else lengths.astype(int)
    return ends, np.arange(steps)[:, np.newaxis] < ends


def mask(data: Any, lengths: Any = None, axis: int = 0, value: float = 0.0, **ignored: Any) -> Any:
    """Return the reference of SequenceMask."""
    _, inside = lengths_of(data, lengths, axis)
    out = np.moveaxis(data, axis, 0).copy()
    out[~inside] = value
    return np.moveaxis(out, 0, axis)


def reverse(data: Any, lengths: Any = None, axis: int = 0, **ignored: Any) -> Any:
    """Return the reference of SequenceReverse."""
    ends, _ = lengths_of(data, lengths, axis)
    out = np.moveaxis(data, axis, 0).copy()
    for at, end in enumerate(ends):
        out[:end, at] = out[:end, at][::-1].copy()
    return np.moveaxis(out, 0, axis)


def last(data: Any, lengths: Any = None, axis: int = 0, **ignored: Any) -> Any:
    """Return the reference of SequenceLast."""
    ends, _ = lengths_of(data, lengths, axis)
    return np.moveaxis(data, axis, 0)[ends - 1, np.arange(len(ends))]


def put_last(data: Any, lengths: Any = None, axis: int = 0, steps: int = 0, **ignored: Any) -> Any:
    """Return the reference of _put_last."""
    ends = np.full(len(data), steps) if lengths is None else lengths.astype(int)
    out = np.zeros((steps, *data.shape))
    out[ends - 1, np.arange(len(data))] = data
    return np.moveaxis(out, 0, axis)


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a call; a second input is lengths, which get no gradient."""
    if len(inputs) > 1:
        attributes["use_sequence_length"] = True
    return {"inputs": list(inputs), "attributes": attributes, "wanted": [0]}


ENDS = np.array([1.0, 4.0, 2.0])
SAMPLES = [
    call((4, 3, 2)),
    call((4, 3), ENDS),
    call((4, 3, 2), ENDS),
    call((3, 4, 2, 2), ENDS, axis=1),
]

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "SequenceMask": {
        "reference": mask,
        "samples": [*SAMPLES, call((4, 3, 2), np.array([0.0, 9.0, 2.9]), value=-1.5)],
    },
    "SequenceReverse": {"reference": reverse, "samples": SAMPLES},
    "SequenceLast": {"reference": last, "samples": SAMPLES},
    "_put_last": {
        "reference": put_last,
        "samples": [
            call((3, 2), steps=4),
            call((3, 2), ENDS, steps=4),
            call((3, 2, 2), ENDS, steps=5, axis=1),
        ],
    },
}
