"""opforge-softmax: calls with lengths or types, and the older variants."""

import numpy as np

from .call import Call

LENGTHS = {-1: [[4, 0, 1], [2, 3, 4]], 1: [[1, 2, 3, 0], [3, 2, 1, 1]]}

CALLS = [
    *(
        Call(
            "softmax",
            ((2, 3, 4), np.array(lengths, dtype="int32")),
            {"axis": axis, "use_length": True, "temperature": 0.5},
        )
        for axis, lengths in LENGTHS.items()
    ),
    *(
        Call(name, ((2, 3, 4),), {"axis": 1, "dtype": dtype}, dtypes=("float32",), tolerance=2e-3)
        for name in ("softmax", "log_softmax", "softmin")
        for dtype in ("float16", "float32", "float64")
    ),
    Call("SoftmaxActivation", ((2, 3, 4, 2),), {"mode": "channel"}, dtypes=("float32",)),
    # For more dimensions, MXNet's gradient does not match its result.
    Call("SoftmaxActivation", ((2, 3),), {"mode": "instance"}, dtypes=("float32",)),
    Call("softmax_cross_entropy", ((5, 4), lambda rng: rng.integers(0, 4, 5))),
]
