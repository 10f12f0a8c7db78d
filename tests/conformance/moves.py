"""Rows of the operators that move elements or select between arrays."""

import numpy as np

from .case import Call, Case, away, calls, flags, normal


def split(x, num_outputs, axis=1, squeeze_axis=False):
    parts = np.split(x, num_outputs, axis)
    return tuple(p.squeeze(axis) if squeeze_axis else p for p in parts)


def cut(x, begin, end, step=()):
    steps = (*step, *(None,) * (len(begin) - len(step)))
    return x[tuple(slice(*bounds) for bounds in zip(begin, end, steps, strict=True))]


def put(dy, like, begin, end, step=()):
    result = np.zeros_like(like)
    cut(result, begin, end, step)[...] = dy
    return result


def replaced(x, part, begin, end, step=()):
    result = x.copy()
    cut(result, begin, end, step)[...] = part
    return result


def summed_to(x, shape):
    while x.ndim > len(shape):
        x = x.sum(axis=0)
    axes = tuple(a for a, n in enumerate(shape) if x.shape[a] != n)
    return x.sum(axis=axes, keepdims=True) if axes else x


def divided(x, axis, lanes):
    shape = (*x.shape[:axis], x.shape[axis] // lanes, lanes, *x.shape[axis + 1 :])
    return np.moveaxis(x.reshape(shape), axis + 1, -1)


def joined(x, axis):
    shape = (*x.shape[:axis], x.shape[axis] * x.shape[-1], *x.shape[axis + 1 : -1])
    return np.moveaxis(x, -1, axis + 1).reshape(shape)


SLICED = [
    Call([(4, 5)], {"begin": (1,), "end": (3,)}),
    Call([(4, 5)], {"begin": (None, 4), "end": (None, 0), "step": (2, -2)}),
    Call([(4, 5)], {"begin": (2, 1), "end": (2, 3)}),
]

MOVES = [
    Case(
        "Reshape",
        lambda x, shape, reverse=False: x.reshape({(-4, 2, -1, 0): (2, 2, 6)}.get(shape, shape)),
        [
            Call([(4, 6)], {"shape": (3, 8)}),
            Call([(4, 6)], {"shape": (-4, 2, -1, 0)}),
            Call([()], {"shape": (1, 1)}),
        ],
    ),
    Case(
        "reshape_like",
        lambda x, y: x.reshape(y.shape),
        calls([(4, 6), (3, 8)], [(0, 2), (5, 0)]),
        smooth=(0,),
        free=(1,),
    ),
    Case("Flatten", lambda x: x.reshape(len(x), -1), calls([(2, 3, 4)], [(5,)])),
    Case("expand_dims", np.expand_dims, [Call([(2, 3)], {"axis": 1}), Call([()], {"axis": 0})]),
    Case(
        "squeeze",
        lambda x, axis=None: np.squeeze(x, axis),
        [Call([(1, 3, 1)]), Call([(1, 3, 1)], {"axis": (0,)}), Call([(0, 1)], {"axis": (1,)})],
    ),
    Case(
        "transpose",
        lambda x, axes=None: np.transpose(x, axes),
        [
            Call([(2, 3, 4)]),
            Call([(2, 3, 4)], {"axes": (1, 2, 0)}),
            Call([(0, 3)]),
            Call([(33, 65)]),
        ],
    ),
    Case(
        "_block",
        divided,
        [
            Call([(2, 8, 3, 5)], {"axis": 1, "lanes": 4}),
            Call([(6,)], {"axis": 0, "lanes": 3}),
            Call([(3, 4)], {"axis": 0, "lanes": 1}),
            Call([(0, 4, 3)], {"axis": 1, "lanes": 2}),
            Call([(2, 0, 3)], {"axis": 1, "lanes": 2}),
        ],
    ),
    Case(
        "_unblock",
        joined,
        [
            Call([(2, 2, 3, 5, 4)], {"axis": 1}),
            Call([(2, 3)], {"axis": 0}),
            Call([(0, 2, 3, 4)], {"axis": 1}),
        ],
    ),
    Case(
        "SwapAxis",
        lambda x, dim1=0, dim2=0: np.swapaxes(x, dim1, dim2),
        [Call([(2, 3, 4)], {"dim1": 0, "dim2": 2}), Call([(2, 3)], {"dim1": -1, "dim2": 0})],
    ),
    Case(
        "reverse",
        np.flip,
        [
            Call([(2, 3, 4)], {"axis": (1,)}),
            Call([(2, 3)], {"axis": (0, 1)}),
            Call([(0,)], {"axis": 0}),
        ],
    ),
    Case(
        "Concat",
        lambda *x, dim=1: np.concatenate(x, dim),
        [
            Call([(2, 3), (2, 1), (2, 4)]),
            Call([(2, 3), (1, 3)], {"dim": 0}),
            Call([(2, 3)]),
            Call([(2, 0), (2, 2)]),
        ],
    ),
    Case(
        "_rnn_param_concat",
        lambda *x, dim=0: np.concatenate(x, dim),
        [Call([(2,), (3,), (0,)]), Call([(2,)])],
    ),
    Case(
        "_backward_concat",
        lambda dy, *like, dim=1: tuple(
            np.split(dy, np.cumsum([x.shape[dim] for x in like])[:-1], dim)
        ),
        [Call([(2, 4), (2, 1), (2, 3)]), Call([(3, 2), (1, 2), (2, 2)], {"dim": 0})],
        smooth=(0,),
    ),
    Case(
        "stack",
        lambda *x, axis=0: np.stack(x, axis),
        [
            Call([(2, 3), (2, 3)]),
            Call([(2, 3)] * 3, {"axis": -1}),
            Call([(), ()]),
            Call([(0,), (0,)]),
        ],
    ),
    Case(
        "SliceChannel",
        split,
        [
            Call([(2, 6)], {"num_outputs": 3}),
            Call([(2, 6)], {"num_outputs": 2, "axis": 0, "squeeze_axis": True}),
            Call([(2, 6)], {"num_outputs": 1}),
            Call([(2, 0)], {"num_outputs": 2}),
        ],
    ),
    Case("slice", cut, SLICED),
    Case(
        "slice_axis",
        lambda x, axis, begin, end: np.moveaxis(np.moveaxis(x, axis, 0)[begin:end], 0, axis),
        [
            Call([(4, 5)], {"axis": 1, "begin": 1, "end": None}),
            Call([(4, 5)], {"axis": -2, "begin": -3, "end": -1}),
        ],
    ),
    Case(
        "slice_like",
        lambda x, like, axes=(): (
            x[: like.shape[0], : like.shape[1]] if not axes else x[:, : like.shape[1]]
        ),
        [Call([(4, 5), (2, 3)]), Call([(4, 5), (2, 3)], {"axes": (1,)})],
        smooth=(0,),
        free=(1,),
    ),
    Case(
        "_backward_slice",
        put,
        [
            Call([(2, 5), (4, 5)], {"begin": (1,), "end": (3,)}),
            Call([(2, 2), (4, 5)], {"begin": (None, 4), "end": (None, 0), "step": (2, -2)}),
        ],
        smooth=(0,),
    ),
    Case("_slice_assign", replaced, [Call([(4, 5), (2, 5)], {"begin": (1,), "end": (3,)})]),
    Case(
        "_slice_assign_scalar",
        lambda x, scalar, begin, end, step=(): replaced(x, scalar, begin, end, step),
        [
            Call([(4, 5)], {"scalar": 3.0, "begin": (1,), "end": (3,)}),
            Call([(4, 5)], {"scalar": -2.0, "begin": (None, 4), "end": (2, 0), "step": (1, -2)}),
        ],
    ),
    Case("cast_storage", lambda x, stype: x, [Call([(4, 5)], {"stype": "default"})]),
    Case("_identity_with_attr_like_rhs", lambda x, y: x, [Call([(4, 5), (4, 5)])], smooth=(0,)),
    Case(
        "broadcast_to",
        lambda x, shape: np.broadcast_to(x, [s or x.shape[a] for a, s in enumerate(shape)]),
        [
            Call([(2, 1)], {"shape": (2, 3)}),
            Call([(2, 1)], {"shape": (0, 3)}),
            Call([(3,)], {"shape": (2, 3)}),
        ],
    ),
    Case(
        "broadcast_axis",
        lambda x, axis, size: np.broadcast_to(
            x, [dict(zip(axis, size, strict=True)).get(a, n) for a, n in enumerate(x.shape)]
        ),
        [Call([(1, 3, 1)], {"axis": (0, 2), "size": (2, 4)})],
    ),
    Case(
        "broadcast_like",
        lambda x, y: np.broadcast_to(x, y.shape),
        calls([(2, 1), (2, 3)], [(1, 1), (0, 3)]),
        smooth=(0,),
        free=(1,),
    ),
    Case(
        "_backward_broadcast",
        lambda dy, like: summed_to(dy, like.shape),
        calls([(2, 3), (2, 1)], [(4, 2, 3), (2, 3)], [(2, 3), (2, 3)]),
        smooth=(0,),
        tolerance={"float16": 2e-2},
    ),
    Case(
        "_unbroadcast",
        summed_to,
        [
            Call([(2, 3)], {"shape": (1, 3)}),
            Call([(4, 2, 3)], {"shape": (3,)}),
            Call([(2,)], {"shape": (2,)}),
        ],
        tolerance={"float16": 2e-2},
    ),
    Case("add_n", lambda *x: sum(x), [Call([(2, 3)] * 3), Call([(4,)]), Call([(0,), (0,)])]),
    Case("clip", np.clip, [Call([(5, 7)], {"a_min": -0.8, "a_max": 0.9})], away, order=1),
    Case(
        "where",
        lambda c, x, y: np.where(c.reshape(c.shape + (1,) * (x.ndim - c.ndim)), x, y),
        calls([(2, 3), (2, 3), (2, 3)], [(2,), (2, 3), (2, 3)], [(0,), (0,), (0,)]),
        (flags, normal, normal),
        smooth=(1, 2),
        free=(0,),
    ),
    Case(
        "Cast",
        lambda x, dtype: x,
        [Call([(2, 3)], {"dtype": "float64"}), Call([(0,)], {"dtype": "float64"})],
        dtype="float64",
    ),
    Case("_cast_like", lambda x, like: x, calls([(2, 3), (1,)]), smooth=(0,), free=(0,)),
    Case(
        "shape_array",
        lambda x: np.array(x.shape),
        calls([(2, 3)], [(0, 4)]),
        smooth=(),
        dtype="int64",
    ),
    Case(
        "size_array",
        lambda x: np.array([x.size]),
        calls([(2, 3)], [(0, 4)]),
        smooth=(),
        dtype="int64",
    ),
    Case(
        "smooth_l1",
        lambda x, scalar: np.where(
            np.abs(x) < 1 / scalar**2, 0.5 * (scalar * x) ** 2, np.abs(x) - 0.5 / scalar**2
        ),
        [Call([(4, 5)], {"scalar": 1.3}), Call([(0,)], {"scalar": 1.3})],
        away,
        order=1,
    ),
]

CASES = MOVES
