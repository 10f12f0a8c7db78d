"""Statistical functions against NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp

X = np.asarray([[3, 1, 2], [6, 5, 7]])
F = X.astype("float32")


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_reductions(axis: Any, keepdims: bool, agree: Callable[..., None]) -> None:
    options = {"axis": axis, "keepdims": keepdims}
    for name in ("sum", "prod", "max", "min"):
        agree(name, X, **options)
        agree(name, F, **options)
    for name in ("mean", "all", "any"):
        agree(name, F, **options)
    for name in ("var", "std"):
        agree(name, F, correction=1, **options)


def test_types_of_sums() -> None:
    for dtype in (xp.int8, xp.int32, xp.uint8):
        x = xp.full((3,), 100, dtype=dtype)
        assert xp.sum(x).dtype == xp.prod(x).dtype == xp.cumulative_sum(x).dtype == xp.int64
        assert int(xp.sum(x)) == 300
    assert xp.sum(xp.ones(1)).dtype == xp.float32
    assert xp.sum(xp.ones(1), dtype=xp.float64).dtype == xp.float64


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_of_integers_are_rejected(name: str) -> None:
    with pytest.raises(TypeError, match="int64; expected real floating"):
        getattr(xp, name)(xp.asarray([1]))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_accumulation(name: str, agree: Callable[..., None]) -> None:
    for values in (X, F, X.astype("int64")[:, :0]):
        agree(name, values, axis=1)
        agree(name, values, axis=0, include_initial=True)
    agree(name, X[0])
    agree(name, np.arange(1, 20, dtype="float32") / 8)
    with pytest.raises(ValueError, match="2 axes; pass axis"):
        getattr(xp, name)(xp.asarray(X))


def test_diff(agree: Callable[..., None]) -> None:
    agree("diff", X, n=2, axis=1)
    agree("diff", X, axis=0, prepend=X[:1], append=X[:1])
