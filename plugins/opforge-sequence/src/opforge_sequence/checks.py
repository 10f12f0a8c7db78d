"""Sample calls and references in float64 for ``opforge check``."""

from typing import Any

import numpy as np


def lengths_of(data: Any, lengths: Any, axis: int) -> Any:
    """Return the length of each sequence and a mask of valid steps, shape (steps, batch)."""
    steps, batch = data.shape[axis], data.shape[1 - axis]
    ends = np.full(batch, steps) if lengths is None else lengths.astype(int)
    return ends, np.arange(steps)[:, np.newaxis] < ends


def mask(data: Any, lengths: Any = None, axis: int = 0, value: float = 0.0, **ignored: Any) -> Any:
    """Return the result of SequenceMask."""
    _, is_valid = lengths_of(data, lengths, axis)
    out = np.moveaxis(data, axis, 0).copy()
    out[~is_valid] = value
    return np.moveaxis(out, 0, axis)


def reverse(data: Any, lengths: Any = None, axis: int = 0, **ignored: Any) -> Any:
    """Return the result of SequenceReverse."""
    ends, _ = lengths_of(data, lengths, axis)
    out = np.moveaxis(data, axis, 0).copy()
    for sequence, end in enumerate(ends):
        out[:end, sequence] = out[:end, sequence][::-1].copy()
    return np.moveaxis(out, 0, axis)


def last(data: Any, lengths: Any = None, axis: int = 0, **ignored: Any) -> Any:
    """Return the result of SequenceLast."""
    ends, _ = lengths_of(data, lengths, axis)
    return np.moveaxis(data, axis, 0)[ends - 1, np.arange(len(ends))]


def put_last(data: Any, lengths: Any = None, axis: int = 0, steps: int = 0, **ignored: Any) -> Any:
    """Return the result of _put_last."""
    ends = np.full(len(data), steps) if lengths is None else lengths.astype(int)
    out = np.zeros((steps, *data.shape))
    out[ends - 1, np.arange(len(data))] = data
    return np.moveaxis(out, 0, axis)


def alignments(label: list[int], steps: int, blank: int) -> Any:
    """Return all alignments of the labels as classes, shape (alignments, steps)."""
    states = [blank]
    for item in label:
        states += [item, blank]
    paths = [[0], [1]] if label else [[0]]
    for _ in range(steps - 1):
        longer = []
        for path in paths:
            state = path[-1]
            label_ahead = state % 2 == 1 and state + 2 < len(states)
            skips = label_ahead and states[state] != states[state + 2]
            longer += [[*path, to] for to in range(state, state + (3 if skips else 2))]
        paths = [path for path in longer if path[-1] < len(states)]
    complete = [path for path in paths if path[-1] >= len(states) - 2]
    return np.array(states)[np.array(complete, int).reshape(-1, steps)]


def ctc(data: Any, label: Any, *lengths: Any, **attributes: Any) -> Any:
    """Return the result of CTCLoss, summed over all alignments."""
    remaining = iter(lengths)
    steps, batch, classes = data.shape
    first = attributes.get("blank_label", "first") == "first"
    times = next(remaining) if attributes.get("use_data_lengths") else np.full(batch, steps)
    sizes = next(remaining) if attributes.get("use_label_lengths") else None
    p = np.exp(data - data.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    out = np.zeros(batch)
    for n, time in enumerate(times.astype(int)):
        row = label[n].astype(int).tolist()
        padding = 0 if first else -1
        size = int(sizes[n]) if sizes is not None else [*row, padding].index(padding)
        needed = size + sum(row[i] == row[i - 1] for i in range(1, size))
        if 0 < time >= needed:
            classes_of = alignments(row[:size], time, 0 if first else classes - 1)
            out[n] = -np.log(p[np.arange(time), n, classes_of].prod(-1).sum())
    return out


def arange_like(
    data: Any, axis: int | None = None, start: float = 0, step: float = 1, repeat: int = 1
) -> Any:
    """Return the result of arange_like."""
    shape = data.shape if axis is None else (data.shape[axis],)
    return (start + step * (np.arange(np.prod(shape, dtype=int)) // repeat)).reshape(shape)


def index_array(data: Any, axes: Any = None) -> Any:
    """Return the result of index_array."""
    positions = np.indices(data.shape)
    return np.stack([positions[axis] for axis in (axes or range(data.ndim))], -1)


def boolean_mask(data: Any, index: Any, axis: int = 0) -> Any:
    """Return the result of boolean_mask."""
    if len(index) != data.shape[axis]:
        raise ValueError("expected one element per row")
    return np.compress(index != 0, data, axis)


def index_copy(old: Any, index: Any, new: Any) -> Any:
    """Return the result of index_copy."""
    out = old.copy()
    out[index.astype(int)] = new
    return out


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call; a second input holds lengths, which have no gradient."""
    if len(inputs) > 1:
        attributes["use_sequence_length"] = True
    return {"inputs": list(inputs), "attributes": attributes, "wanted": [0]}


def ctc_call(data: tuple[int, ...], *numbers: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call of CTCLoss that requests the gradient of data only."""
    arrays = [np.array(item, "float64") for item in numbers]
    return {"inputs": [data, *arrays], "attributes": attributes, "wanted": [0]}


ENDS = np.array([1.0, 4.0, 2.0])
SAMPLES = [
    call((4, 3, 2)),
    call((4, 3), ENDS),
    call((4, 3, 2), ENDS),
    call((3, 4, 2, 2), ENDS, axis=1),
]

CTC: dict[str, Any] = {
    "reference": ctc,
    "samples": [
        ctc_call((5, 2, 4), [[1, 2, 0], [3, 3, 1]]),
        ctc_call((4, 3, 3), [[0, 0], [1, 1], [2, 1]]),
        ctc_call((5, 2, 4), [[1, 2, -1], [2, 2, 0]], blank_label="last"),
        ctc_call(
            (5, 3, 4),
            [[1, 2, 9], [3, 3, 1], [2, -5, 7]],
            [3, 5, 4],
            [2, 3, 0],
            use_data_lengths=True,
            use_label_lengths=True,
        ),
        # Too few steps for the labels.
        ctc_call((3, 2, 4), [[1, 1, 1], [1, 2, 3]]),
    ],
}

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "SequenceMask": {
        "reference": mask,
        "samples": [*SAMPLES, call((4, 3, 2), np.array([0.0, 9.0, 2.9]), value=-1.5)],
    },
    "SequenceReverse": {"reference": reverse, "samples": SAMPLES},
    "SequenceLast": {"reference": last, "samples": SAMPLES},
    **dict.fromkeys(("CTCLoss", "_CTCLoss_prediction"), CTC),
    "_contrib_arange_like": {
        "reference": arange_like,
        "samples": [
            {"inputs": [(2, 5)], "attributes": attributes}
            for attributes in ({}, {"axis": -1, "start": 2, "step": 0.5}, {"repeat": 3})
        ],
    },
    "_contrib_index_array": {
        "reference": index_array,
        "samples": [
            {"inputs": [(2, 3)], "attributes": attributes} for attributes in ({}, {"axes": (1, 0)})
        ],
    },
    "_contrib_boolean_mask": {
        "reference": boolean_mask,
        "samples": [
            {"inputs": [(4, 2), np.array([0, 1, 0, 2])], "wanted": [0]},
            {
                "inputs": [(2, 3), np.array([0.0, -0.5, np.nan])],
                "attributes": {"axis": -1},
                "wanted": [0],
            },
            {"inputs": [(3,), np.zeros(3)], "wanted": [0]},
        ],
    },
    "_contrib_index_copy": {
        "reference": index_copy,
        "samples": [{"inputs": [(4, 2), np.array([3, 0]), (2, 2)], "wanted": [0, 2]}],
    },
    "_contrib_div_sqrt_dim": {
        "reference": lambda data: data / np.sqrt(data.shape[-1]),
        "samples": [{"inputs": [(2, 3, 5)]}],
    },
    "_put_last": {
        "reference": put_last,
        "samples": [
            call((3, 2), steps=4),
            call((3, 2), ENDS, steps=4),
            call((3, 2, 2), ENDS, steps=5, axis=1),
        ],
    },
}
