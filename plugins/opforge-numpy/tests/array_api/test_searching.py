"""Functions that search, sort and compare with sets against NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp

X = np.asarray([[3, 1, 2, 3], [6, 0, 7, 6]])
NAN = np.asarray([1.0, np.nan, 1.0, np.nan], dtype="float32")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("argmax", (X,), {"axis": 1, "keepdims": True}),
        ("argmin", (X,), {}),
        ("count_nonzero", (X,), {"axis": 0}),
        ("count_nonzero", (X,), {"keepdims": True}),
        ("nonzero", (X,), {}),
        ("searchsorted", (np.sort(X[0]), X), {"side": "right"}),
        ("searchsorted", (X[0], X), {"sorter": np.argsort(X[0])}),
        ("where", (X > 2, X, X.astype("int32")), {}),
        ("where", (X > 2, X, 0), {}),
        ("where", (X > 2, False, X > 1), {}),
        ("take", (X, np.asarray([-1, 0])), {"axis": 1}),
        ("take_along_axis", (X, np.argsort(X, axis=0)), {"axis": 0}),
        ("argsort", (X,), {"axis": 0}),
        ("sort", (X,), {}),
        ("unique_all", (X,), {}),
        ("unique_counts", (X,), {}),
        ("unique_inverse", (X,), {}),
        ("unique_counts", (NAN,), {}),
        ("isin", (X, X[0]), {"invert": True}),
    ],
)
def test_as_numpy(name: str, args: Any, kwargs: Any, agree: Callable[..., None]) -> None:
    agree(name, *args, **kwargs)


def test_descending_order_is_stable() -> None:
    x = xp.asarray(X)
    assert xp.argsort(x, descending=True).tolist() == [[0, 3, 2, 1], [2, 0, 3, 1]]
    assert xp.sort(x, descending=True).tolist() == [[3, 3, 2, 1], [7, 6, 6, 0]]
    assert xp.argsort(x, axis=0, descending=True).shape == (2, 4)


def test_unique_values_are_sorted() -> None:
    assert xp.unique_values(xp.asarray(X)).tolist() == [0, 1, 2, 3, 6, 7]
    assert xp.unique_values(xp.asarray(NAN)).shape == (3,)


def test_isin_and_searchsorted_take_numbers() -> None:
    x = xp.asarray([1, 2, 3])
    assert xp.isin(x, 2).tolist() == [False, True, False]
    assert xp.isin(5, x).tolist() is False
    assert int(xp.searchsorted(x, 3)) == 2


def test_arguments_are_checked() -> None:
    x = xp.asarray(X)
    with pytest.raises(ValueError, match="no axes"):
        xp.nonzero(xp.asarray(1))
    with pytest.raises(ValueError, match="pass axis"):
        xp.take(x, xp.asarray([0]))
    with pytest.raises(TypeError, match="take: the array has type float32"):
        xp.take(x, xp.ones(1), axis=0)
    with pytest.raises(TypeError, match="where: the array has type int64"):
        xp.where(x, x, x)
