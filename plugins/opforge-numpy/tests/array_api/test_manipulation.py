"""Functions that change shapes against NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp

X = np.arange(6).reshape(1, 2, 3)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("broadcast_arrays", (X, np.arange(3)), {}),
        ("broadcast_to", (X, (2, 2, 3)), {}),
        ("concat", ([X, X.astype("int32")],), {"axis": 1}),
        ("concat", ([X, X],), {"axis": None}),
        ("stack", ([X, X],), {"axis": -1}),
        ("unstack", (X,), {"axis": 1}),
        ("expand_dims", (X,), {"axis": (0, -1)}),
        ("squeeze", (X,), {"axis": 0}),
        ("reshape", (X, (3, -1)), {}),
        ("permute_dims", (X, (2, 0, 1)), {}),
        ("moveaxis", (X, 0, -1), {}),
        ("flip", (X,), {"axis": -1}),
        ("roll", (X, (1, 2)), {"axis": (1, 2)}),
        ("repeat", (X, np.asarray([1, 2])), {"axis": 1}),
        ("repeat", (X, 2), {}),
        ("tile", (X, (2, 1)), {}),
    ],
)
def test_as_numpy(name: str, args: Any, kwargs: Any, agree: Callable[..., None]) -> None:
    agree(name, *args, **kwargs)


def test_broadcast_shapes() -> None:
    assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)


def test_reshape_copies_as_requested() -> None:
    x = xp.zeros(4)
    xp.reshape(x, (2, 2))[0, 0] = 5
    xp.reshape(x, (2, 2), copy=True)[0, 1] = 5
    assert x.tolist() == [5, 0, 0, 0]


def test_joined_arrays_have_one_kind() -> None:
    for function in (xp.concat, xp.stack):
        with pytest.raises(TypeError, match="no common type"):
            function([xp.ones(1), xp.asarray([1])])
