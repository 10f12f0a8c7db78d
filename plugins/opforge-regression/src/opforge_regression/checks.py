"""What ``opforge check`` is told of these operators: calls to try and references in float64."""

from typing import Any

import numpy as np


def identity(data: Any, *label: Any, **attributes: Any) -> Any:
    """Return the data, whatever the gradient is."""
    return data


def logistic(data: Any, label: Any, **attributes: Any) -> Any:
    """Return the logistic function of the data."""
    return 1 / (1 + np.exp(-data))


#: The label may have another shape, as long as each sample has as many numbers.
SAMPLES = [
    [(4, 3), (4, 3)],
    [(5,), (5,)],
    [(4, 1), (4,)],
    {"inputs": [(2, 3, 2), (2, 6)], "attributes": {"grad_scale": 0.5}},
]

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "LinearRegressionOutput": {"reference": identity, "samples": SAMPLES},
    "LogisticRegressionOutput": {"reference": logistic, "samples": SAMPLES},
    "MAERegressionOutput": {"reference": identity, "samples": SAMPLES},
    "MakeLoss": {"reference": identity},
}
