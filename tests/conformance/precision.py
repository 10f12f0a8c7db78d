"""Operators of mixed precision."""

import numpy as np

from .case import Call, Case

CASES = [
    Case(
        "amp_cast",
        lambda x, dtype: x,
        [Call([(2, 3)], {"dtype": "float64"}), Call([(0,)], {"dtype": "float64"})],
        dtype="float64",
    ),
    Case(
        "amp_multicast",
        lambda *arrays, **attrs: arrays,
        [
            Call([(2, 3), (4,)], {"num_outputs": 2}),
            Call([(2,), (0,)], {"num_outputs": 2, "cast_narrow": True}),
        ],
    ),
    Case(
        "all_finite",
        lambda x: np.ones(1),
        [Call([(2, 3)]), Call([(0,)])],
        smooth=(),
        dtype="float32",
    ),
    Case(
        "multi_all_finite",
        lambda *arrays, **attrs: np.ones(1),
        [Call([(2, 3), (4,)], {"num_arrays": 2})],
        smooth=(),
        dtype="float32",
    ),
    Case(
        "multi_sum_sq",
        lambda *arrays, **attrs: np.array([(x**2).sum() for x in arrays]),
        [Call([(2, 3), (4,)], {"num_arrays": 2}), Call([(0,)])],
        smooth=(),
        dtype="float32",
        tolerance={"float64": 1e-6},  # the result is float32
    ),
]
