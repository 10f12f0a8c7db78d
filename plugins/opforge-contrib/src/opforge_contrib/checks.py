"""Sample calls and references in float64 for ``opforge check``."""

from typing import Any

import numpy as np


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the result of cumsum."""
    return np.cumsum(a if dtype is None else a.astype(dtype), axis)


def split(
    data: Any, indices: Any, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> Any:
    """Return the results of _split_v2."""
    parts = np.array_split(data, sections or indices[1:], axis)
    return [part.squeeze(axis) if squeeze_axis else part for part in parts]


def ravel(data: Any, shape: Any) -> Any:
    """Return the result of ravel_multi_index."""
    return np.cumprod([1, *shape[:0:-1]])[::-1] @ np.trunc(data)


def unravel(data: Any, shape: Any) -> Any:
    """Return the result of unravel_index."""
    rest, found = np.trunc(data), []
    for length in shape[:0:-1]:
        found.append(np.fmod(rest, length))
        rest = (rest - found[-1]) / length
    return np.stack([rest, *found[::-1]])


def histogram(data: Any, bins: Any = None, bin_cnt: int = 1, range: Any = (0, 1)) -> Any:
    """Return the results of _histogram."""
    edges = np.linspace(range[0], range[1], bin_cnt + 1) if bins is None else bins
    inside = data[(data >= edges[0]) & (data <= edges[-1])]
    return [np.histogram(inside, np.maximum.accumulate(edges))[0], edges]


def khatri_rao(*matrices: Any) -> Any:
    """Return the result of khatri_rao."""
    product = matrices[0]
    for matrix in matrices[1:]:
        product = np.einsum("ik,jk->ijk", product, matrix).reshape(-1, product.shape[1])
    return product


def moments(data: Any, axes: Any, keepdims: bool = False) -> Any:
    """Return the results of moments."""
    if not data.size:
        raise ValueError("no elements")
    both = np.mean(data, axes, keepdims=keepdims), np.var(data, axes, keepdims=keepdims)
    return [np.atleast_1d(array) for array in both]


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call."""
    return {"inputs": list(inputs), "attributes": attributes}


#: Fractions: the gradients at integers, where indices change, are undefined.
COLUMNS = np.array([[3.5, 6.5, 6.5], [4.5, 5.5, 1.5]])
OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_np_cumsum": {
        "reference": cumsum,
        "samples": [call((2, 3, 4), axis=axis) for axis in (None, 0, 1, -1)]
        + [call((2, 3), axis=1, dtype="float64")],
    },
    "_split_v2": {
        "reference": split,
        "samples": [
            call((2, 5), indices=(0, 1, 4)),
            call((5, 2), indices=(), axis=0, sections=3),
            call((2, 3), indices=(), axis=-1, sections=3, squeeze_axis=True),
        ],
    },
    "_ravel_multi_index": {
        "reference": ravel,
        "samples": [call(COLUMNS, shape=(7, 6)), call(COLUMNS, shape=(-1, 6))],
    },
    "_unravel_index": {
        "reference": unravel,
        "samples": [
            call(np.array([22.5, 41.5, 37.5]), shape=(7, 6)),
            call(np.array([[2.5], [41.5]]), shape=(2, 3, 7)),
        ],
    },
    "_histogram": {
        "reference": histogram,
        "samples": [
            call((4, 5), bin_cnt=3, range=(-1.0, 2.0)),
            call((7,), np.array([-1.0, -0.25, 0.5, 3])),
        ],
    },
    "khatri_rao": {
        "reference": khatri_rao,
        "samples": [call((2, 3)), call((2, 3), (4, 3)), call((2, 2), (1, 2), (3, 2))],
    },
    "moments": {
        "reference": moments,
        "samples": [
            call((3, 4), axes=(0,)),
            call((2, 3, 4), axes=(-1, 0), keepdims=True),
            call((2, 3), axes=(0, 1)),
        ],
    },
}
