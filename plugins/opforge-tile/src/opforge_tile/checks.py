"""NumPy references and sample calls for ``opforge check``."""

from typing import Any

import numpy as np

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "tile": {
        "reference": lambda data, reps: np.tile(data, reps),
        "samples": [
            {"inputs": [(2, 3)], "attributes": {"reps": reps}}
            for reps in ((2,), (2, 3), (2, 1, 3), (1, 1), ())
        ],
    },
    "repeat": {
        "reference": lambda data, repeats, axis=None: np.repeat(data, repeats, axis),
        "samples": [
            {"inputs": [(2, 3, 4)], "attributes": {"repeats": 2, "axis": axis}}
            for axis in (None, 0, 1, -1)
        ],
    },
}
