"""Rows of the conformance table, and how their inputs are drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Sampler = Callable[[Any, tuple[int, ...]], Any]
Shapes = Sequence[tuple[int, ...]]


def normal(rng, shape):
    return rng.standard_normal(shape)


def positive(rng, shape):
    return rng.uniform(0.3, 3.0, shape)


def unit(rng, shape):
    """Draw from (-1, 1), away from the ends and from 0."""
    return rng.uniform(0.1, 0.8, shape) * rng.choice([-1.0, 1.0], shape)


def above_one(rng, shape):
    return rng.uniform(1.2, 3.0, shape)


def away(rng, shape):
    """Draw numbers away from 0, where some functions have a kink."""
    return rng.uniform(0.3, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


def quarters(rng, shape):
    """Draw integers plus a quarter, away from all jumps of rounding."""
    return rng.integers(-5, 5, shape) + 0.25


def distinct(rng, shape):
    """Draw elements of which no two are close to each other."""
    size = int(np.prod(shape))
    return (rng.permutation(size).reshape(shape) - size / 2.0) * 0.37 + 0.11


def flags(rng, shape):
    return rng.integers(0, 2, shape).astype(float)


def up_to(*limits):
    """Draw integers from 0; one limit for each row of the first axis, or one for all."""

    def draw(rng, shape):
        if len(limits) == 1:
            return rng.integers(0, limits[0], shape).astype(float)
        return np.stack([rng.integers(0, limit, shape[1:]) for limit in limits]).astype(float)

    return draw


@dataclass(frozen=True)
class Call:
    """Shapes of the inputs and attributes of one call."""

    shapes: Shapes
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """Test case of an operator: a float64 reference and the calls to try.

    Parameters
    ----------
    operator : str
    reference : callable
        Function of float64 arrays and the attributes; returns an array or a tuple of arrays.
    calls : sequence of Call
    sample : sampler, or one for each input
    smooth : sequence of int, optional
        Inputs whose gradient is checked; None: all.
    order : int
        Highest order of the checked gradients.
    dtypes : sequence of str
    dtype : str, optional
        Of the result, if it differs from that of the inputs.
    tolerance : dict
        Relative and absolute tolerance by dtype.
    free : sequence of int
        Inputs that are always float32, such as indices and conditions.
    """

    operator: str
    reference: Callable[..., Any]
    calls: Sequence[Call]
    sample: Any = normal
    smooth: Sequence[int] | None = None
    order: int = 2
    dtypes: Sequence[str] = ("float32", "float64", "float16", "bfloat16")
    dtype: str | None = None
    tolerance: dict[str, float] = field(default_factory=dict)
    free: Sequence[int] = ()

    def draw(self, call: Call, seed: int = 0) -> list[Any]:
        """Return the inputs of a call in float64."""
        rng = np.random.default_rng(seed)
        count = len(call.shapes)
        samplers = self.sample if isinstance(self.sample, tuple) else (self.sample,) * count
        return [
            np.asarray(sampler(rng, shape), dtype=float)
            for sampler, shape in zip(samplers, call.shapes, strict=True)
        ]

    def accepted(self, dtype: str) -> float:
        """Return the tolerance in `dtype`."""
        default = {"float16": 4e-3, "float32": 4e-6, "float64": 1e-11}
        if dtype == "bfloat16":  # it has three bits less than float16
            return self.tolerance.get(dtype, 8 * self.accepted("float16"))
        return self.tolerance.get(dtype, default[dtype])


def calls(*shapes: Any, **attrs: Any) -> list[Call]:
    """Return one call for each tuple of shapes, all with the same attributes."""
    return [Call(item, attrs) for item in shapes]
