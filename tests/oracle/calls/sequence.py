"""opforge-sequence."""

import numpy as np

from .call import Call

LENGTHS = np.array([1.0, 4.0, 2.9], "float32")
#: MXNet knows no axis of SequenceReverse but the first, and reads other memory for bad lengths.
STEPS_FIRST = [((4, 3, 2),), ((4, 3, 2), LENGTHS), ((4, 3), LENGTHS), ((4, 3, 2, 2), LENGTHS)]
BATCH_FIRST = [((3, 4),), ((3, 4, 2), LENGTHS)]
TYPES = ("float16", "float32", "float64")


def call(name, inputs, **attributes):
    """MXNet's gradient of SequenceLast without lengths writes to other memory."""
    smooth = () if name == "SequenceLast" and len(inputs) == 1 else (0,)
    attributes["use_sequence_length"] = len(inputs) > 1
    return Call(name, inputs, attributes, smooth, dtypes=TYPES)


CALLS = [
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
