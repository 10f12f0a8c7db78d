"""Rows of the operators that create arrays."""

import numpy as np

from .case import Call, Case

CASES = [
    Case(
        "_zeros",
        lambda shape, dtype: np.zeros(shape),
        [Call([], {"shape": (2, 3), "dtype": "float64"})],
        smooth=(),
        dtype="float64",
    ),
    Case(
        "_ones",
        lambda shape: np.ones(shape),
        [Call([], {"shape": (2, 3)}), Call([], {"shape": (0,)})],
        smooth=(),
        dtype="float32",
    ),
    Case(
        "_full",
        lambda shape, value: np.full(shape, value),
        [Call([], {"shape": (4,), "value": 2.5})],
        smooth=(),
        dtype="float32",
    ),
    Case(
        "_arange",
        lambda start, stop=None, step=1.0, repeat=1: np.repeat(
            np.arange(start, stop, step), repeat
        ),
        [
            Call([], {"start": 5.0}),
            Call([], {"start": 1.0, "stop": 7.0, "step": 2.0, "repeat": 2}),
        ],
        smooth=(),
        dtype="float32",
    ),
    Case(
        "_linspace",
        np.linspace,
        [Call([], {"start": -1.0, "stop": 2.0, "num": 7})],
        smooth=(),
        dtype="float32",
    ),
    Case(
        "_eye",
        lambda N, M=0, k=0: np.eye(N, M or N, k),
        [Call([], {"N": 3}), Call([], {"N": 2, "M": 4, "k": 1})],
        smooth=(),
        dtype="float32",
    ),
]
