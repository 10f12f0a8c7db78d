"""Checks for ``opforge check``: float64 references and sample calls."""

from math import erf, sqrt
from typing import Any

import numpy as np


def leaky_relu(
    data: Any,
    gamma: Any = None,
    act_type: str = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
) -> Any:
    """Return the function that `act_type` names, by its definition."""
    if act_type == "gelu":
        return data * (1 + np.vectorize(erf, otypes=[float])(data / sqrt(2))) / 2
    if act_type == "selu":
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        return scale * np.where(data > 0, data, alpha * np.expm1(np.minimum(data, 0)))
    if act_type == "elu":
        return np.where(data > 0, data, slope * np.expm1(np.minimum(data, 0)))
    if act_type == "prelu":
        # Channels are on axis 1; slopes that do not fit there may be one for each row, as in MXNet.
        rows = data.ndim == 2 and gamma.size == len(data) and gamma.size not in (1, data.shape[1])
        axes = (1,) if rows else (1,) * (data.ndim - 2)
        slope = gamma.reshape((-1, *axes)) if data.ndim > 1 else gamma
    if act_type == "rrelu":
        slope = (lower_bound + upper_bound) / 2
    return np.where(data > 0, data, slope * data)


def mean_slopes(data: Any, lower_bound: float = 0.125, upper_bound: float = 0.334) -> Any:
    """Return what a prediction gives."""
    return np.full_like(data, (lower_bound + upper_bound) / 2)


def of_kind(act_type: str, *inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return one call."""
    return {"inputs": list(inputs), "attributes": {"act_type": act_type, **attributes}}


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "LeakyReLU": {
        "reference": leaky_relu,
        "samples": [
            [(7,)],
            [(2, 3, 4)],
            of_kind("leaky", (4, 3), slope=2.0),
            of_kind("elu", (4, 3)),
            of_kind("elu", (4, 3), slope=1.5),
            of_kind("selu", (4, 3)),
            of_kind("gelu", (4, 3)),
            of_kind("prelu", (7,), (1,)),
            of_kind("prelu", (4, 3), (3,)),
            of_kind("prelu", (2, 3, 4), (3,)),
            of_kind("prelu", (2, 3, 4), (1,)),
            of_kind("rrelu", (4, 3)),
            of_kind("rrelu", (4, 3), lower_bound=0.5, upper_bound=0.75),
        ],
    },
    "_random_slopes": {"reference": mean_slopes},
}


def samples(*arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a call of a layer for each set of arguments of its constructor."""
    return {"samples": [{"inputs": [(4, 3)], "arguments": item} for item in arguments]}


LAYER_CHECKS = {
    "LeakyReLU": samples({"alpha": 0.1}, {"alpha": 0}),
    "PReLU": samples({}, {"in_channels": 3}),
    "ELU": samples({}, {"alpha": 1.5}),
    "SELU": samples({}),
    "GELU": samples({}),
    "Swish": samples({}, {"beta": 2.0}),
}
