"""References in float64 and sample calls for ``opforge check``."""

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
    """Return the activation selected by `act_type`."""
    if act_type == "gelu":
        return data * (1 + np.vectorize(erf, otypes=[float])(data / sqrt(2))) / 2
    if act_type == "selu":
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        return scale * np.where(data > 0, data, alpha * np.expm1(np.minimum(data, 0)))
    if act_type == "elu":
        return np.where(data > 0, data, slope * np.expm1(np.minimum(data, 0)))
    if act_type == "prelu":
        # Slopes belong to channels (axis 1) or, if they do not fit there, to rows, as in MXNet.
        rows = data.ndim == 2 and gamma.size == len(data) and gamma.size not in (1, data.shape[1])
        axes = (1,) if rows else (1,) * (data.ndim - 2)
        slope = gamma.reshape((-1, *axes)) if data.ndim > 1 else gamma
    if act_type == "rrelu":
        slope = (lower_bound + upper_bound) / 2
    return np.where(data > 0, data, slope * data)


def mean_slopes(data: Any, lower_bound: float = 0.125, upper_bound: float = 0.334) -> Any:
    """Return the slopes in prediction mode."""
    return np.full_like(data, (lower_bound + upper_bound) / 2)


def sample(act_type: str, *inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call."""
    return {"inputs": list(inputs), "attributes": {"act_type": act_type, **attributes}}


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "LeakyReLU": {
        "reference": leaky_relu,
        "samples": [
            [(7,)],
            [(2, 3, 4)],
            sample("leaky", (4, 3), slope=2.0),
            sample("elu", (4, 3)),
            sample("elu", (4, 3), slope=1.5),
            sample("selu", (4, 3)),
            sample("gelu", (4, 3)),
            sample("prelu", (7,), (1,)),
            sample("prelu", (4, 3), (3,)),
            sample("prelu", (2, 3, 4), (3,)),
            sample("prelu", (2, 3, 4), (1,)),
            sample("rrelu", (4, 3)),
            sample("rrelu", (4, 3), lower_bound=0.5, upper_bound=0.75),
        ],
    },
    "_random_slopes": {"reference": mean_slopes},
}


def samples(*arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a sample call of a layer for each set of constructor arguments."""
    return {"samples": [{"inputs": [(4, 3)], "arguments": item} for item in arguments]}


LAYER_CHECKS = {
    "LeakyReLU": samples({"alpha": 0.1}, {"alpha": 0}),
    "PReLU": samples({}, {"in_channels": 3}),
    "ELU": samples({}, {"alpha": 1.5}),
    "SELU": samples({}),
    "GELU": samples({}),
    "Swish": samples({}, {"beta": 2.0}),
}
