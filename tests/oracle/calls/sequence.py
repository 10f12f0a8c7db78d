"""opforge-sequence."""

import numpy as np

from .call import Call

LENGTHS = np.array([1.0, 4.0, 2.9], "float32")
#: MXNet's SequenceReverse supports only the first axis, and reads other memory for bad lengths.
STEPS_FIRST = [((4, 3, 2),), ((4, 3, 2), LENGTHS), ((4, 3), LENGTHS), ((4, 3, 2, 2), LENGTHS)]
BATCH_FIRST = [((3, 4),), ((3, 4, 2), LENGTHS)]
TYPES = ("float16", "float32", "float64")


def call(name, inputs, **attributes):
    """MXNet's gradient of SequenceLast without lengths writes to other memory."""
    smooth = () if name == "SequenceLast" and len(inputs) == 1 else (0,)
    attributes["use_sequence_length"] = len(inputs) > 1
    return Call(name, inputs, attributes, smooth, dtypes=TYPES)


#: Every sequence is long enough for its labels: otherwise MXNet's gradients are unset.
LABELS = np.array([[1, 2, 0], [3, 3, 1], [2, 2, 2]], "float32")
CTC = [
    ((7, 3, 4), LABELS),
    ((5, 3, 4), LABELS.astype("int32")),
    ((40, 3, 9), LABELS),
]
CTC_LENGTHS = [
    ((7, 3, 4), np.maximum(LABELS, 1), np.array([7, 4, 5.0]), np.array([2, 3, 0.0])),
    ((6, 3, 4), np.maximum(LABELS, 1), np.array([1, 6, 2.0]), np.array([1, 3, 1.0])),
]

#: MXNet supports it for float32 only.
CTC_CALLS = [
    *[Call("CTCLoss", inputs, dtypes=("float32",)) for inputs in CTC],
    *[
        Call(
            "contrib.ctc_loss",
            (data, labels - 1, *lengths),
            {"blank_label": "last"},
            dtypes=("float32",),
        )
        for data, labels, *lengths in CTC
    ],
    *[
        Call(
            "ctc_loss",
            tuple(np.asarray(x, "float32") if isinstance(x, np.ndarray) else x for x in inputs),
            {"use_data_lengths": True, "use_label_lengths": True},
            dtypes=("float32",),
        )
        for inputs in CTC_LENGTHS
    ],
]

PLACES = [
    *[
        Call("contrib.arange_like", ((2, 5),), attributes, smooth=())
        for attributes in ({}, {"axis": 1, "start": 2.0, "step": 0.5}, {"repeat": 3})
    ],
    *[
        Call("contrib.index_array", ((2, 3),), attributes, smooth=())
        for attributes in ({}, {"axes": (1, 0)})
    ],
    Call("contrib.boolean_mask", ((4, 2), np.array([0, 1, 0, 2], "int64")), smooth=(0,)),
    Call("contrib.index_copy", ((4, 2), np.array([3, 0], "int64"), (2, 2)), smooth=(0, 2)),
    Call("contrib.div_sqrt_dim", ((2, 3, 5),)),
]

CALLS = [
    *CTC_CALLS,
    *PLACES,
    *[
        call(name, inputs)
        for name in ("SequenceMask", "SequenceLast", "SequenceReverse")
        for inputs in STEPS_FIRST
    ],
    *[
        call(name, inputs, axis=1)
        for name in ("SequenceMask", "SequenceLast")
        for inputs in BATCH_FIRST
    ],
    *[call("SequenceMask", inputs, value=-1.5) for inputs in STEPS_FIRST],
]
