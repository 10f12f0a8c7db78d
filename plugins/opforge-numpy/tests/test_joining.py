"""Functions that join, split and sort, against NumPy."""

from typing import Any

import numpy as np
import pytest
from opforge_numpy import joining, sorting

RANDOM = np.random.default_rng(0)
SCALAR, VECTOR = np.float32(3) + np.zeros((), "float32"), np.arange(3, dtype="float32")
MATRIX, NONE = np.arange(6, dtype="float32").reshape(2, 3), np.zeros((2, 0, 3), "float32")
CUBE = RANDOM.normal(size=(4, 6, 2)).astype("float32")
LISTS = ([SCALAR] * 2, [VECTOR] * 3, [MATRIX] * 2, [NONE] * 2, [np.zeros(0, "float32"), VECTOR])

STACKS = [
    (name, (arrays,), {})
    for name in ("stack", "vstack", "hstack", "dstack", "column_stack", "concatenate")
    for arrays in LISTS
    if not (arrays is LISTS[4] and name != "hstack" and name != "concatenate")
    and not (arrays is LISTS[0] and name == "concatenate")
    and not (arrays is LISTS[3] and name == "column_stack")
]
CASES = [
    *STACKS,
    ("concatenate", ([MATRIX, np.zeros((0, 3), "float32")],), {}),
    ("concatenate", ([MATRIX, MATRIX], -1), {}),
    ("concatenate", ([MATRIX, VECTOR], None), {}),
    ("concatenate", ([NONE, np.ones((2, 2, 3), "float32")], 1), {}),
    ("concatenate", ((MATRIX,),), {}),
    ("stack", ([MATRIX, MATRIX], -1), {}),
    ("vstack", ([VECTOR, MATRIX],), {}),
    ("column_stack", ([VECTOR, np.ones((3, 2), "float32")],), {}),
    *[
        (name, (CUBE, 2), {"axis": axis})
        for name in ("split", "array_split")
        for axis in (0, 1, -1)
    ],
    ("split", (CUBE, 1), {}),
    ("split", (CUBE, [1, 3]), {}),
    ("split", (CUBE, (1, 3, 3, 9)), {"axis": 1}),
    ("split", (CUBE, [3, 1]), {"axis": 1}),
    ("split", (CUBE, [-2]), {"axis": 1}),
    ("split", (NONE, 2), {}),
    ("split", (NONE, 3), {"axis": 1}),
    ("array_split", (VECTOR, 2), {}),
    ("array_split", (VECTOR, 5), {}),
    ("array_split", (np.zeros(0, "float32"), 2), {}),
    ("hsplit", (VECTOR, 3), {}),
    ("hsplit", (CUBE, [1]), {}),
    ("vsplit", (CUBE, 2), {}),
    ("dsplit", (CUBE, 2), {}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_functions_agree_with_numpy(case: Any, agree: Any) -> None:
    name, args, kwargs = case
    agree(getattr(joining, name), getattr(np, name), *args, **kwargs)


def test_element_types_are_promoted(agree: Any) -> None:
    numbers = np.arange(3, dtype="int32")
    agree(joining.concatenate, np.concatenate, [VECTOR, VECTOR.astype("float64")])
    agree(joining.stack, np.stack, [numbers, numbers.astype("int64")])
    # As in arithmetic of MXNet, the floating type wins.
    mixed = np.concatenate([numbers, VECTOR]).astype("float32")
    agree(joining.concatenate, lambda _: mixed, [numbers, VECTOR])


@pytest.mark.parametrize("dtype", ["float16", "float64", "uint8", "int8", "int64", "bool"])
def test_element_types_are_kept(dtype: str, agree: Any) -> None:
    x = MATRIX.astype(dtype)
    agree(joining.concatenate, np.concatenate, [x, x])
    agree(joining.stack, np.stack, [x, x], 1)
    agree(joining.split, np.split, x, 3, 1)
    agree(sorting.sort, np.sort, x, 0)
    agree(sorting.argsort, lambda a: np.argsort(a, kind="stable"), x)


GRADIENTS: dict[str, Any] = {
    "concatenate": lambda x, y: joining.concatenate([x, y, x], 1),
    "concatenate flattened": lambda x, y: joining.concatenate([x, y], None),
    "stack": lambda x, y: joining.stack([x, y], 1),
    "vstack": lambda x, y: joining.vstack([x[0], y]),
    "hstack": lambda x, y: joining.hstack([x, y]),
    "dstack": lambda x, y: joining.dstack([x, y]),
    "column_stack": lambda x, y: joining.column_stack([x, y[:, 0]]),
    "split": lambda x, y: joining.split(x * y, 3, 1),
    "array_split": lambda x, y: joining.array_split(x * y, 2, 1),
    "split in rows": lambda x, y: joining.split(x * y, [1]),
    "sort": lambda x, y: sorting.sort(x * y, 0),
    "sort flattened": lambda x, y: sorting.sort(x * y, None),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, check_gradient: Any) -> None:
    check_gradient(GRADIENTS[name], RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(2, 3)))


@pytest.mark.parametrize("axis", [-1, 0, 1, None])
@pytest.mark.parametrize("x", [CUBE, NONE, MATRIX.astype("int32")], ids=["floats", "none", "ints"])
def test_sorting(x: Any, axis: int | None, agree: Any) -> None:
    agree(sorting.sort, np.sort, x, axis)
    agree(sorting.argsort, np.argsort, x, axis)


def test_msort(agree: Any) -> None:
    agree(sorting.msort, lambda x: np.sort(x, 0), CUBE)


def test_results_go_to_out(agree: Any) -> None:
    out = np.zeros((4, 3), "float32")
    agree(joining.concatenate, np.concatenate, [MATRIX, MATRIX], 0, out)


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("concatenate", ([],), ValueError),
        ("concatenate", ([SCALAR],), ValueError),
        ("concatenate", ([MATRIX], 2), ValueError),
        ("stack", ([],), ValueError),
        ("stack", ([VECTOR, MATRIX],), ValueError),
        ("stack", ([VECTOR], 2), ValueError),
        ("split", (VECTOR, 2), ValueError),
        ("split", (VECTOR, 0), ValueError),
        ("array_split", (VECTOR, 0), ValueError),
        ("vsplit", (VECTOR, 3), ValueError),
        ("dsplit", (MATRIX, 3), ValueError),
        ("hsplit", (SCALAR, 1), ValueError),
    ],
)
def test_errors(name: str, args: Any, error: Any, agree: Any) -> None:
    with pytest.raises(error):
        agree(getattr(joining, name), lambda *a: None, *args)
