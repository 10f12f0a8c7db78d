"""Initializers whose scale depends on the number of inputs and outputs."""

import math
from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Initializer, register

__all__ = ["MSRAPrelu", "Xavier"]


@register
class Xavier(Initializer):
    """Keep the scale of activations and gradients similar in all layers.

    Parameters
    ----------
    rnd_type : {"uniform", "gaussian"}, default "uniform"
    factor_type : {"avg", "in", "out"}, default "avg"
        Divide by the mean of fan-in and fan-out, or by one of them. Fan-out is ``shape[0]`` and
        fan-in ``shape[1]``, each times the product of the other dimensions.
    magnitude : float, default 3
        Uniform samples are in [-s, s) with ``s = sqrt(magnitude / factor)``; for gaussian ones s
        is the standard deviation.

    Raises
    ------
    ValueError
        On call: the array is a vector, or one of the two types is unknown.
    """

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        scale = math.sqrt(self.magnitude / self._factor(desc, arr.shape))
        if self.rnd_type == "uniform":
            nd.random.uniform(-scale, scale, out=arr)
        elif self.rnd_type == "gaussian":
            nd.random.normal(0, scale, out=arr)
        else:
            raise ValueError(
                f"Unknown random type {self.rnd_type!r}; expected 'uniform' or 'gaussian'"
            )

    def _factor(self, desc: str, shape: tuple[int, ...]) -> float:
        if len(shape) < 2:
            raise ValueError(
                f"{type(self).__name__} initializer cannot be applied to vector {desc}. "
                "It requires at least 2D."
            )
        receptive_field = math.prod(shape[2:])
        fan_in, fan_out = shape[1] * receptive_field, shape[0] * receptive_field
        if self.factor_type == "avg":
            return (fan_in + fan_out) / 2.0
        if self.factor_type == "in":
            return fan_in
        if self.factor_type == "out":
            return fan_out
        raise ValueError(
            f"Incorrect factor type {self.factor_type!r}; expected 'avg', 'in' or 'out'"
        )


@register
class MSRAPrelu(Xavier):
    """Gaussian `Xavier` for layers followed by a (leaky) ReLU.

    Parameters
    ----------
    factor_type : {"avg", "in", "out"}, default "avg"
    slope : float, default 0.25
        Slope of the PReLU for negative inputs.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs: dict[str, Any] = {"factor_type": factor_type, "slope": slope}
