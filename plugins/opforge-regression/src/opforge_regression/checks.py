"""Sample calls, references and losses in float64 for ``opforge check``."""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np


def identity(data: Any, *label: Any, **attributes: Any) -> Any:
    """Return data unchanged."""
    return data


def logistic(data: Any, label: Any, **attributes: Any) -> Any:
    """Return the logistic function of the data."""
    return 1 / (1 + np.exp(-data))


#: Operator -> loss of each element.
ELEMENTS: dict[str, Callable[[Any, Any], Any]] = {
    "LinearRegressionOutput": lambda data, label: (data - label) ** 2 / 2,
    "LogisticRegressionOutput": lambda data, label: np.logaddexp(0, data) - label * data,
    "MAERegressionOutput": lambda data, label: abs(data - label),
}


def loss(name: str, data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """Return the loss divided by the number of outputs per sample."""
    elements = ELEMENTS[name](data, label.reshape(data.shape))
    return elements.sum() * grad_scale / prod(data.shape[1:])


def custom_loss(
    data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = "null"
) -> Any:
    """Return the sum of data, divided according to `normalization`."""
    divisors = {
        "null": 1,
        "batch": prod(data.shape[:-1]),
        "valid": max((data > valid_thresh).sum(), 1),
    }
    return data.sum() * grad_scale / divisors[normalization]


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call that requests the gradient of data only."""
    return {"inputs": list(inputs), "attributes": attributes, "wanted": [0]}


#: The label may differ in shape if it has as many elements per sample.
SAMPLES = [
    call((4, 3), (4, 3)),
    call((5,), (5,)),
    call((4, 1), (4,)),
    call((2, 3, 2), (2, 6), grad_scale=0.5),
]

OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    **{
        name: {
            "reference": logistic if name == "LogisticRegressionOutput" else identity,
            "loss": partial(loss, name),
            "samples": SAMPLES,
        }
        for name in ELEMENTS
    },
    "MakeLoss": {"reference": identity, "loss": custom_loss},
}
