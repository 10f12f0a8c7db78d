"""Rows of the operators that reduce, multiply, move, choose and create."""

import numpy as np

from .case import Call, Case, away, calls, distinct, flags, normal, positive, up_to

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
FILLED = REDUCED[:-1]  # without the reductions of nothing, that have no identity


def norm(x, ord=2, axis=None, keepdims=False):  # noqa: A002 - MXNet's name
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


def arg(function):
    def reference(x, axis=None, keepdims=False):
        result = function(x, axis=axis, keepdims=keepdims)
        return result.reshape(1) if np.ndim(result) == 0 else result

    return reference


ARG = [Call([(2, 3)]), Call([(4, 5, 6)], {"axis": 1}), Call([(4, 5)], {"axis": -1, "keepdims": True})]
SPREAD = [
    Call([(2, 4), (2, 3, 4)], {"axis": 1}),
    Call([(1,), (2, 3)]),
    Call([(3,), (2, 3, 4)], {"axis": (1,), "exclude": True}),
]

REDUCTIONS = [
    Case("sum", reduction(np.sum), REDUCED, tolerance={"float16": 3e-2}),
    Case("mean", reduction(np.mean), FILLED, tolerance={"float16": 2e-2}),
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
    Case("argmax_channel", lambda x: x.argmax(1), [Call([(4, 5)])], distinct, smooth=()),
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


SLICED = [
    Call([(4, 5)], {"begin": (1,), "end": (3,)}),
    Call([(4, 5)], {"begin": (None, 4), "end": (None, 0), "step": (2, -2)}),
    Call([(4, 5)], {"begin": (2, 1), "end": (2, 3)}),
]

MOVES = [
    Case(
        "reshape",
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
        [Call([(2, 3, 4)]), Call([(2, 3, 4)], {"axes": (1, 2, 0)}), Call([(0, 3)]), Call([(33, 65)])],
    ),
    Case(
        "SwapAxis",
        lambda x, dim1=0, dim2=0: np.swapaxes(x, dim1, dim2),
        [Call([(2, 3, 4)], {"dim1": 0, "dim2": 2}), Call([(2, 3)], {"dim1": -1, "dim2": 0})],
    ),
    Case(
        "reverse",
        np.flip,
        [Call([(2, 3, 4)], {"axis": (1,)}), Call([(2, 3)], {"axis": (0, 1)}), Call([(0,)], {"axis": 0})],
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
        [Call([(2, 3), (2, 3)]), Call([(2, 3)] * 3, {"axis": -1}), Call([(), ()]), Call([(0,), (0,)])],
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
        lambda x, like, axes=(): x[: like.shape[0], : like.shape[1]] if not axes else x[:, : like.shape[1]],
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
        [Call([(2, 3)], {"shape": (1, 3)}), Call([(4, 2, 3)], {"shape": (3,)}), Call([(2,)], {"shape": (2,)})],
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
        "shape_array", lambda x: np.array(x.shape), calls([(2, 3)], [(0, 4)]), smooth=(), dtype="int64"
    ),
    Case(
        "size_array", lambda x: np.array([x.size]), calls([(2, 3)], [(0, 4)]), smooth=(), dtype="int64"
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


def order(x, axis, ascend):
    """Positions of a stable order, largest first unless `ascend`."""
    return np.argsort(x if ascend else -x, axis=axis, kind="stable")


def sort(x, axis=-1, is_ascend=True):
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    return np.take_along_axis(x, order(x, axis, is_ascend), axis)


def topk(x, axis=-1, k=1, ret_typ="indices", is_ascend=False):
    places = np.take(order(x, axis, is_ascend), range(k), axis)
    values = np.take_along_axis(x, places, axis)
    mask = np.zeros_like(x)
    np.put_along_axis(mask, places, 1, axis)
    return {"indices": places, "value": values, "mask": mask, "both": (values, places)}[ret_typ]


def back_in_place(dy, x, axis=-1, is_ascend=True):
    result = np.zeros_like(x)
    places = np.take(order(x, axis, is_ascend), range(dy.shape[axis]), axis)
    np.put_along_axis(result, places, dy, axis)
    return result


def diag_back(dy, like, k=0, axis1=0, axis2=1):
    if like.ndim == 1:
        return np.diag(dy, k)
    result = np.zeros_like(like)
    matrices = np.moveaxis(result, (axis1, axis2), (-2, -1))
    for place in np.ndindex(matrices.shape[:-2]):
        for i, value in enumerate(dy[place]):
            matrices[place][i - min(k, 0), i + max(k, 0)] = value
    return result


def diagonal(x, k=0, axis1=0, axis2=1):
    return np.diag(x, k) if x.ndim == 1 else np.diagonal(x, k, axis1, axis2)


ORDER = [
    Case(
        "sort",
        sort,
        [
            Call([(3, 4)]),
            Call([(3, 4)], {"axis": 0, "is_ascend": False}),
            Call([(3, 4)], {"axis": None}),
            Call([(0,)]),
        ],
        distinct,
    ),
    Case(
        "argsort",
        lambda x, axis=-1, is_ascend=True: order(x, axis, is_ascend),
        [Call([(3, 4)]), Call([(3, 4)], {"axis": 0, "is_ascend": False})],
        distinct,
        smooth=(),
        dtype="float32",
    ),
    Case(
        "topk",
        topk,
        [
            Call([(3, 4)], {"k": 2, "ret_typ": "value"}),
            Call([(3, 4)], {"k": 2, "ret_typ": "value", "axis": 0, "is_ascend": True}),
            Call([(3, 4)], {"k": 2, "ret_typ": "mask"}),
        ],
        distinct,
        smooth=(0,),
    ),
    Case(
        "_backward_topk",
        back_in_place,
        [Call([(3, 2), (3, 4)]), Call([(2, 4), (3, 4)], {"axis": 0, "is_ascend": False})],
        (normal, distinct),
        smooth=(0,),
    ),
    Case(
        "_in_order",
        lambda x, key, like: np.take_along_axis(x, order(key, -1, True)[..., : like.shape[-1]], -1),
        [Call([(3, 4), (3, 4), (3, 2)])],
        (normal, distinct, normal),
        smooth=(0,),
    ),
    Case(
        "diag",
        diagonal,
        [
            Call([(3, 4)]),
            Call([(3, 4)], {"k": -1}),
            Call([(3,)], {"k": 1}),
            Call([(2, 3, 4)], {"axis1": 0, "axis2": 2, "k": 1}),
        ],
    ),
    Case(
        "_backward_diag",
        diag_back,
        [
            Call([(3,), (3, 4)]),
            Call([(2,), (3, 4)], {"k": -1}),
            Call([(4, 4), (3,)], {"k": 1}),
            Call([(3, 2), (2, 3, 4)], {"axis1": 0, "axis2": 2, "k": 1}),
        ],
        smooth=(0,),
    ),
]


def take(x, i, axis=0, mode="clip"):
    return np.take(x, i.astype(int), axis, mode=mode)


def take_back(dy, like, i, axis=0, mode="clip"):
    result = np.zeros_like(like)
    rows = np.moveaxis(result, axis, 0)
    parts = np.moveaxis(dy, tuple(range(axis, axis + i.ndim)), tuple(range(i.ndim)))
    size = like.shape[axis]
    places = np.clip(i, 0, size - 1) if mode == "clip" else i % size
    np.add.at(rows, places.astype(int), parts)
    return result


def pick(x, i, axis=-1, keepdims=False, mode="clip"):
    places = np.expand_dims(i.reshape(np.delete(x.shape, axis)), axis).astype(int)
    result = np.take_along_axis(x, places, axis)
    return result if keepdims else result.squeeze(axis)


def pick_back(dy, like, i, axis=-1, keepdims=False, mode="clip"):
    result = np.zeros_like(like)
    shape = np.delete(like.shape, axis)
    places = np.expand_dims(i.reshape(shape), axis).astype(int)
    np.put_along_axis(result, places, np.expand_dims(dy.reshape(shape), axis), axis)
    return result


def one_hot(i, depth, on_value=1.0, off_value=0.0):
    return np.where(i[..., None] == np.arange(depth), on_value, off_value)


def places(i):
    return tuple(i.astype(int))


def gather_back(dy, like, i):
    result = np.zeros_like(like)
    np.add.at(result, places(i), dy)
    return result


def scatter(x, i, shape):
    result = np.zeros(shape)
    result[places(i)] = x
    return result


def one_each(rng, shape):
    """Columns of positions in (4, 5), no two equal."""
    flat = rng.choice(20, shape[1:], replace=False)
    return np.stack([flat // 5, flat % 5]).astype(float)


CHOICES = [
    Case(
        "take",
        take,
        [
            Call([(4, 5), (3,)]),
            Call([(4, 4, 2), (2, 3)], {"axis": 1}),
            Call([(4, 5), (3,)], {"mode": "wrap"}),
            Call([(4, 5), (0,)]),
            Call([(4, 5), ()]),
        ],
        (normal, up_to(4)),
        smooth=(0,),
        free=(1,),
    ),
    Case(
        "_backward_take",
        take_back,
        [
            Call([(3, 5), (4, 5), (3,)]),
            Call([(4, 2, 3, 2), (4, 4, 2), (2, 3)], {"axis": 1}),
            Call([(3, 5), (4, 5), (3,)], {"mode": "wrap"}),
        ],
        (normal, normal, up_to(4)),
        smooth=(0,),
        free=(2,),
    ),
    Case(
        "Embedding",
        lambda i, w, input_dim, output_dim: w[i.astype(int)],
        [Call([(2, 3), (4, 5)], {"input_dim": 4, "output_dim": 5})],
        (up_to(4), normal),
        smooth=(1,),
        free=(0,),
    ),
    Case(
        "pick",
        pick,
        [
            Call([(3, 4), (3,)]),
            Call([(4, 3), (3,)], {"axis": 0}),
            Call([(3, 4), (3, 1)], {"keepdims": True}),
        ],
        (normal, up_to(4)),
        smooth=(0,),
        free=(1,),
    ),
    Case(
        "_backward_pick",
        pick_back,
        [
            Call([(3,), (3, 4), (3,)]),
            Call([(3,), (4, 3), (3,)], {"axis": 0}),
            Call([(3, 1), (3, 4), (3, 1)], {"keepdims": True}),
        ],
        (normal, normal, up_to(4)),
        smooth=(0,),
        free=(2,),
    ),
    Case(
        "batch_take",
        pick,
        calls([(3, 4), (3,)]),
        (normal, up_to(4)),
        smooth=(0,),
        free=(1,),
    ),
    Case(
        "one_hot",
        one_hot,
        [
            Call([(2, 3)], {"depth": 4}),
            Call([()], {"depth": 4}),
            Call([(3,)], {"depth": 3, "on_value": 2.0, "off_value": -1.0}),
            Call([(0,)], {"depth": 4}),
        ],
        up_to(4),
        smooth=(),
        dtype="float32",
    ),
    Case(
        "gather_nd",
        lambda x, i: x[places(i)],
        calls([(4, 5), (2, 3)], [(4, 5, 2), (2, 3)], [(4, 5), (2, 3, 2)]),
        (normal, up_to(4, 5)),
        smooth=(0,),
        free=(1,),
    ),
    Case(
        "_backward_gather_nd",
        gather_back,
        calls([(3,), (4, 5), (2, 3)], [(3, 2), (4, 5, 2), (2, 3)]),
        (normal, normal, up_to(4, 5)),
        smooth=(0,),
        free=(2,),
    ),
    Case(
        "scatter_nd",
        scatter,
        [Call([(3,), (2, 3)], {"shape": (4, 5)}), Call([(3, 2), (2, 3)], {"shape": (4, 5, 2)})],
        (normal, one_each),
        smooth=(0,),
        free=(1,),
    ),
]

CREATION = [
    Case("_zeros", lambda shape, dtype: np.zeros(shape), [Call([], {"shape": (2, 3), "dtype": "float64"})], smooth=(), dtype="float64"),
    Case("_ones", lambda shape: np.ones(shape), [Call([], {"shape": (2, 3)}), Call([], {"shape": (0,)})], smooth=(), dtype="float32"),
    Case("_full", lambda shape, value: np.full(shape, value), [Call([], {"shape": (4,), "value": 2.5})], smooth=(), dtype="float32"),
    Case(
        "_arange",
        lambda start, stop=None, step=1.0, repeat=1: np.repeat(np.arange(start, stop, step), repeat),
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


def decayed(w, g, wd=0.0, rescale_grad=1.0, clip_gradient=-1.0):
    g = g * rescale_grad
    return (np.clip(g, -clip_gradient, clip_gradient) if clip_gradient >= 0 else g) + wd * w


def sgd(w, g, lr, **rest):
    return w - lr * decayed(w, g, **rest)


def sgd_mom(w, g, m, lr, momentum, **rest):
    return w + momentum * m - lr * decayed(w, g, **rest)


def adam(w, g, m, v, lr, **rest):
    g = decayed(w, g, **rest)
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

CASES = [*REDUCTIONS, *PRODUCTS, *MOVES, *ORDER, *CHOICES, *CREATION, *UPDATES]
