"""Rows of the operators that sort, or that read or write by index."""

import numpy as np

from .case import Call, Case, calls, distinct, normal, positive, up_to


def order(x, axis, ascend):
    """Return the indices of a stable sort, largest first unless `ascend`."""
    return np.argsort(x if ascend else -x, axis=axis, kind="stable")


def sort(x, axis=-1, is_ascend=True):
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    return np.take_along_axis(x, order(x, axis, is_ascend), axis)


def topk(x, axis=-1, k=1, ret_typ="indices", is_ascend=False):
    indices = np.take(order(x, axis, is_ascend), range(k), axis)
    values = np.take_along_axis(x, indices, axis)
    mask = np.zeros_like(x)
    np.put_along_axis(mask, indices, 1, axis)
    return {"indices": indices, "value": values, "mask": mask, "both": (values, indices)}[ret_typ]


def scatter_back(dy, x, axis=-1, is_ascend=True):
    result = np.zeros_like(x)
    indices = np.take(order(x, axis, is_ascend), range(dy.shape[axis]), axis)
    np.put_along_axis(result, indices, dy, axis)
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


def drawn_back(dy, p, index):
    result = np.zeros_like(p).reshape(-1, p.shape[-1])
    rows = np.arange(len(result))[:, None]
    np.add.at(
        result, (rows, index.reshape(len(result), -1).astype(int)), dy.reshape(len(result), -1)
    )
    return result.reshape(p.shape) / p


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
        scatter_back,
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
    indices = np.clip(i, 0, size - 1) if mode == "clip" else i % size
    np.add.at(rows, indices.astype(int), parts)
    return result


def pick(x, i, axis=-1, keepdims=False, mode="clip"):
    if axis is None:
        return x.ravel()[i.astype(int)]
    indices = np.expand_dims(i.reshape(np.delete(x.shape, axis)), axis).astype(int)
    result = np.take_along_axis(x, indices, axis)
    return result if keepdims else result.squeeze(axis)


def filled(x, values, i):
    result = x.copy()
    result[np.arange(len(i)), i.astype(int)] = values
    return result


def pick_back(dy, like, i, axis=-1, keepdims=False, mode="clip"):
    result = np.zeros_like(like)
    if axis is None:
        np.add.at(result.reshape(-1), i.astype(int), dy)
        return result
    shape = np.delete(like.shape, axis)
    indices = np.expand_dims(i.reshape(shape), axis).astype(int)
    np.put_along_axis(result, indices, np.expand_dims(dy.reshape(shape), axis), axis)
    return result


def one_hot(i, depth, on_value=1.0, off_value=0.0):
    return np.where(i[..., None] == np.arange(depth), on_value, off_value)


def index_tuple(i):
    return tuple(i.astype(int))


def gather_back(dy, like, i):
    result = np.zeros_like(like)
    np.add.at(result, index_tuple(i), dy)
    return result


def scatter(x, i, shape):
    result = np.zeros(shape)
    result[index_tuple(i)] = x
    return result


def retained(x, rows):
    kept = np.isin(np.arange(len(x)), rows)
    return x * kept.reshape(-1, *(1,) * (x.ndim - 1))


def one_each(rng, shape):
    """Return columns of indices into (4, 5), no two equal."""
    flat = rng.choice(20, shape[1:], replace=False)
    return np.stack([flat // 5, flat % 5]).astype(float)


CHOICES = [
    Case(
        "_sparse_retain",
        retained,
        calls([(4, 3), (2,)], [(5,), (0,)], [(3, 2, 2), (5,)]),
        (normal, up_to(3)),
        smooth=(0,),
    ),
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
        "fill_element_0index",
        filled,
        [Call([(3, 4), (3,), (3,)])],
        (normal, normal, up_to(4)),
        smooth=(),
        free=(2,),
    ),
    Case(
        "pick",
        pick,
        [
            Call([(3, 4), (3,)]),
            Call([(4, 3), (3,)], {"axis": 0}),
            Call([(3, 4), (3, 1)], {"keepdims": True}),
            Call([(3, 4), (5,)], {"axis": None}),
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
            Call([(5,), (3, 4), (5,)], {"axis": None}),
        ],
        (normal, normal, up_to(4)),
        smooth=(0,),
        free=(2,),
    ),
    Case(
        "_backward_sample_multinomial",
        drawn_back,
        calls([(3, 5), (3, 4), (3, 5)], [(6,), (4,), (6,)], [(2, 3, 2), (2, 4), (2, 3, 2)]),
        (normal, positive, up_to(4)),
        smooth=(),
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
        lambda x, i: x[index_tuple(i)],
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

CASES = [*ORDER, *CHOICES]
