"""Rows of the operators that reduce or multiply."""

import numpy as np

from .case import Call, Case, away, distinct

WIDE = ("float32", "float64")


def axes_of(x, axis, exclude):
    if axis in (None, ()):
        return tuple(range(x.ndim))
    axes = {a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))}
    return tuple(sorted(set(range(x.ndim)) - axes if exclude else axes))


def reduction(function):
    def reference(x, axis=None, keepdims=False, exclude=False, **rest):
        result = function(x, axis=axes_of(x, axis, exclude), keepdims=keepdims, **rest)
        return result.reshape(1) if result.ndim == 0 and x.ndim else result

    return reference


REDUCED = [
    Call([(2, 3)]),
    Call([(4, 5, 6)], {"axis": 1}),
    Call([(4, 5, 6)], {"axis": (0, 2), "keepdims": True}),
    Call([(4, 5, 6)], {"axis": -1, "exclude": True}),
    Call([(2, 3, 1)], {"axis": (), "keepdims": True}),
    Call([(70, 33)], {"axis": 0}),
    Call([(3, 0)], {"axis": 0}),
]
FILLED = REDUCED[:-1]  # without empty reductions, which have no identity


def norm(x, ord=2, axis=None, keepdims=False):
    def length(y, axis, keepdims):
        if ord == 1:
            return np.abs(y).sum(axis=axis, keepdims=keepdims)
        return np.sqrt((y * y).sum(axis=axis, keepdims=keepdims))

    return reduction(length)(x, axis, keepdims)


def spread(dy, like, axis=None, keepdims=False, exclude=False):
    kept = [1 if a in axes_of(like, axis, exclude) else n for a, n in enumerate(like.shape)]
    return np.broadcast_to(dy.reshape(kept), like.shape)


def spread_mean(dy, like, **attrs):
    return spread(dy, like, **attrs) * dy.size / like.size


def prod_back(dy, x, y, skips_nan=False, **attrs):
    """Only for arrays without zeros; tests/unit/std/test_prod.py tests the others."""
    return spread(dy * y, x, **attrs) / x


def arg(function):
    def reference(x, axis=None, keepdims=False):
        result = function(x, axis=axis, keepdims=keepdims)
        return result.reshape(1) if np.ndim(result) == 0 else result

    return reference


ARG = [
    Call([(2, 3)]),
    Call([(4, 5, 6)], {"axis": 1}),
    Call([(4, 5)], {"axis": -1, "keepdims": True}),
]
CHANNELS = [Call([(4, 5)]), Call([(2, 3, 4)])]
THREE = [
    Call([(2, 4), (2, 3, 4), (2, 4)], {"axis": 1}),
    Call([(1,), (2, 3), (1,)]),
    Call([(3,), (2, 3, 4), (3,)], {"axis": (1,), "exclude": True, "skips_nan": True}),
]
SPREAD = [
    Call([(2, 4), (2, 3, 4)], {"axis": 1}),
    Call([(1,), (2, 3)]),
    Call([(3,), (2, 3, 4)], {"axis": (1,), "exclude": True}),
]

REDUCTIONS = [
    Case("sum", reduction(np.sum), REDUCED, tolerance={"float16": 3e-2}),
    Case("mean", reduction(np.mean), FILLED, tolerance={"float16": 2e-2}),
    Case(
        "_square_sum",
        reduction(lambda x, **where: np.square(x).sum(**where)),
        FILLED,
        tolerance={"float16": 3e-2},
    ),
    Case("prod", reduction(np.prod), REDUCED, away, dtypes=WIDE, tolerance={"float32": 1e-5}),
    Case("nansum", reduction(np.nansum), REDUCED, tolerance={"float16": 3e-2}),
    Case("nanprod", reduction(np.nanprod), REDUCED, away, dtypes=WIDE, tolerance={"float32": 1e-5}),
    Case("max", reduction(np.max), FILLED, distinct, order=1),
    Case("min", reduction(np.min), FILLED, distinct, order=1),
    Case(
        "norm",
        norm,
        [Call([(2, 3)]), Call([(4, 5)], {"axis": 1}), Call([(4, 5)], {"ord": 1, "axis": 0})],
        away,
    ),
    Case("argmax", arg(np.argmax), ARG, distinct, smooth=(), dtypes=WIDE),
    Case("argmin", arg(np.argmin), ARG, distinct, smooth=(), dtypes=WIDE),
    Case("argmax_channel", lambda x: x.argmax(1), CHANNELS, distinct, smooth=()),
    Case("_backward_prod", prod_back, THREE, away, smooth=(0,), tolerance={"float16": 2e-2}),
    Case("_backward_sum", spread, SPREAD, smooth=(0,)),
    Case("_backward_mean", spread_mean, SPREAD, smooth=(0,)),
]


def dot(a, b, transpose_a=False, transpose_b=False):
    if transpose_a:
        a = np.moveaxis(a, 0, -1)
    if transpose_b:
        b = np.moveaxis(b, -1, 0)
    result = np.tensordot(a, b, 1)
    return result.reshape(1) if result.ndim == 0 else result


def batch_dot(a, b, transpose_a=False, transpose_b=False):
    a = a.swapaxes(-1, -2) if transpose_a else a
    return a @ (b.swapaxes(-1, -2) if transpose_b else b)


def matmul(a, b, transpose_a=False, transpose_b=False):
    a = a.swapaxes(-1, -2) if transpose_a else a
    return np.atleast_1d(a @ (b.swapaxes(-1, -2) if transpose_b else b))


def einsum(*operands, subscripts, optimize=False):
    return np.atleast_1d(np.einsum(subscripts, *operands))


def dense(x, w, b=0.0, num_hidden=0, no_bias=False, flatten=True):
    rows = x.reshape(x.shape[0], int(np.prod(x.shape[1:]))) if flatten else x
    return rows @ w.T + b


PRODUCTS = [
    Case(
        "dot",
        dot,
        [
            Call([(2, 3), (3, 4)]),
            Call([(3, 2), (3, 4)], {"transpose_a": True}),
            Call([(2, 3), (4, 3)], {"transpose_b": True}),
            Call([(3, 2), (4, 3)], {"transpose_a": True, "transpose_b": True}),
            Call([(5,), (5,)]),
            Call([(2, 3), (3,)]),
            Call([(3,), (3, 2)]),
            Call([(2, 3, 4), (4, 5)]),
            Call([(2, 3, 4), (2, 5)], {"transpose_a": True}),
            Call([(2, 3), (3, 4, 2)]),
            Call([(0, 3), (3, 2)]),
            Call([(2, 0), (0, 3)]),
        ],
        dtypes=WIDE,
    ),
    Case(
        "batch_dot",
        batch_dot,
        [
            Call([(2, 3, 4), (2, 4, 5)]),
            Call([(2, 4, 3), (2, 4, 5)], {"transpose_a": True}),
            Call([(2, 3, 4), (2, 5, 4)], {"transpose_b": True}),
            Call([(2, 2, 4, 3), (2, 2, 5, 4)], {"transpose_a": True, "transpose_b": True}),
            Call([(0, 3, 4), (0, 4, 5)]),
        ],
        dtypes=WIDE,
    ),
    Case(
        "matmul",
        matmul,
        [
            Call([(2, 3), (3, 4)]),
            Call([(3, 2), (4, 3)], {"transpose_a": True, "transpose_b": True}),
            Call([(3,), (3,)]),
            Call([(3,), (2, 3, 4)]),
            Call([(2, 4, 3), (3,)]),
            Call([(2, 4, 3), (3, 5)]),
            Call([(2, 3, 4), (3, 5)], {"transpose_a": True}),
            Call([(2, 1, 4, 3), (3, 3, 5)]),
            Call([(2, 1, 4, 3), (3, 5, 3)], {"transpose_b": True}),
            Call([(0, 3, 4), (4, 5)]),
            Call([(2, 3, 0), (0, 5)]),
        ],
        dtypes=WIDE,
    ),
    Case(
        "_einsum",
        einsum,
        [
            Call([(2, 3), (4, 3)], {"subscripts": "ij,kj->ik"}),
            Call([(3,), (2, 3, 4)], {"subscripts": "j,ij..."}),
            Call([(2, 3, 4), (3, 2, 5)], {"subscripts": "ijk,jil->lk"}),
            Call([(3, 2, 3, 2)], {"subscripts": "ijij->ji"}),
            Call([(2, 1), (3, 4), (4, 2)], {"subscripts": "ij,jk,kl->il", "optimize": True}),
            Call([(2, 3), (3, 2)], {"subscripts": "ij,ji->"}),
            Call([(2, 3), (0, 3)], {"subscripts": "ij,kj->ik"}),
        ],
        dtypes=WIDE,
    ),
    Case(
        "FullyConnected",
        dense,
        [
            Call([(2, 3), (4, 3), (4,)], {"num_hidden": 4}),
            Call([(2, 3, 5), (4, 15), (4,)], {"num_hidden": 4}),
            Call([(2, 3, 5), (4, 5), (4,)], {"num_hidden": 4, "flatten": False}),
            Call([(2, 3), (4, 3)], {"num_hidden": 4, "no_bias": True}),
            Call([(0, 3), (4, 3), (4,)], {"num_hidden": 4}),
        ],
        dtypes=WIDE,
    ),
]

CASES = [*REDUCTIONS, *PRODUCTS]
