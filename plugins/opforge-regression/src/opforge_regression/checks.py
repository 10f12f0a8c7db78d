"""Checks for ``opforge check`` of these operators: calls, references and losses in float64."""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np


def identity(data: Any, *label: Any, **attributes: Any) -> Any:
    """Return the data, whatever the gradient is."""
    return data


def logistic(data: Any, label: Any, **attributes: Any) -> Any:
    """Return the logistic function of the data."""
    return 1 / (1 + np.exp(-data))


#: What each element adds to the loss.
ELEMENTS: dict[str, Callable[[Any, Any], Any]] = {
    "LinearRegressionOutput": lambda data, label: (data - label) ** 2 / 2,
    "LogisticRegressionOutput": lambda data, label: np.logaddexp(0, data) - label * data,
    "MAERegressionOutput": lambda data, label: abs(data - label),
}


def loss(name: str, data: Any, label: Any, grad_scale: float = 1.0) -> Any:
    """Return the loss, over the number of outputs of a sample."""
    elements = ELEMENTS[name](data, label.reshape(data.shape))
    return elements.sum() * grad_scale / prod(data.shape[1:])


def loss_of_ones_own(
    data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = "null"
) -> Any:
    """Return the data's sum, divided as `normalization` says."""
    divisors = {
        "null": 1,
        "batch": prod(data.shape[:-1]),
        "valid": max((data > valid_thresh).sum(), 1),
    }
    return data.sum() * grad_scale / divisors[normalization]


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a call whose labels, which get no gradient, stay as they are."""
    return {"inputs": list(inputs), "attributes": attributes, "wanted": [0]}


#: The label may have another shape, as long as each sample has as many numbers.
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
    "MakeLoss": {"reference": identity, "loss": loss_of_ones_own},
}
