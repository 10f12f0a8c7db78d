"""Rows of the operators that create arrays, and of the optimizers' steps."""

import numpy as np

from .case import Call, Case, normal, positive

WIDE = ("float32", "float64")


CREATION = [
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


def clipped(g, limit):
    return np.clip(g, -limit, limit) if limit >= 0 else g


def decayed(w, g, wd=0.0, rescale_grad=1.0, clip_gradient=-1.0):
    return clipped(g * rescale_grad, clip_gradient) + wd * w


def sgd(w, g, lr, **rest):
    return w - lr * decayed(w, g, **rest)


def sgd_mom(w, g, m, lr, momentum, **rest):
    return w + momentum * m - lr * decayed(w, g, **rest)


def adam(w, g, m, v, lr, wd=0.0, rescale_grad=1.0, clip_gradient=-1.0):
    g = clipped(g * rescale_grad + wd * w, clip_gradient)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - lr * m / (np.sqrt(v) + 1e-8)


RULE = {"lr": 0.1, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.6}
UPDATES = [
    Case("sgd_update", sgd, [Call([(3, 4)] * 2, RULE), Call([(5,)] * 2, {"lr": 0.2})], smooth=()),
    Case("sgd_mom_update", sgd_mom, [Call([(3, 4)] * 3, {**RULE, "momentum": 0.9})], smooth=()),
    Case(
        "adam_update",
        adam,
        [Call([(3, 4)] * 4, RULE)],
        (normal, normal, normal, positive),
        smooth=(),
        dtypes=WIDE,
    ),
]

CASES = [*CREATION, *UPDATES]
