"""Products and polynomials against NumPy."""

from typing import Any

import numpy as np
import pytest
from opforge_numpy import products

RANDOM = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    """Return random numbers."""
    return np.asarray(RANDOM.normal(size=shape), "float32")


def whole(*shape: int) -> Any:
    """Return random integers."""
    return RANDOM.integers(-5, 5, size=shape).astype("int32")


PAIRS = [
    (normal(), normal()),
    (normal(), normal(2, 3)),
    (normal(3), normal(3)),
    (normal(2, 3), normal(3)),
    (normal(3), normal(3, 4)),
    (normal(2, 3), normal(3, 4)),
    (normal(2, 1, 3), normal(3)),
    (normal(5, 2, 3), normal(5, 3, 4)),
    (normal(2, 3), normal(5, 3, 4)),
    (normal(1, 5, 2, 3), normal(6, 1, 3, 4)),
    (normal(0), normal(0)),
    (normal(0, 3), normal(3, 2)),
    (normal(2, 0), normal(0, 3)),
    (normal(2, 0, 3), normal(2, 3, 0)),
    (whole(3), whole(3)),
    (whole(2, 3), whole(3, 4)),
]
MATMUL = [pair for pair in PAIRS if pair[0].ndim and pair[1].ndim]
CASES = [
    *[("dot", pair) for pair in PAIRS],
    *[("matmul", pair) for pair in MATMUL],
    *[("outer", pair) for pair in PAIRS],
    *[("kron", pair) for pair in PAIRS],
    *[("vdot", (x, x)) for x, _ in PAIRS],
    *[("inner", (x, x)) for x, _ in PAIRS],
    ("inner", (normal(2, 3), normal(4, 5, 3))),
    *[("tensordot", (x, x, axes)) for x in (normal(2, 2), whole(3, 3)) for axes in (0, 1, 2)],
    ("tensordot", (normal(2, 3, 4), normal(4, 3, 5), ([1, 2], [1, 0]))),
    ("tensordot", (normal(2, 3, 4), normal(5, 3), (1, 1))),
    ("tensordot", (normal(2, 3, 4), normal(3, 4, 2), ((-1, 0), (1, -1)))),
    ("tensordot", (normal(2, 0), normal(0, 3), 1)),
    ("cross", (normal(4, 3), normal(3))),
    ("cross", (normal(3, 4), normal(4, 3), 0, 1, 0)),
    ("polyval", (normal(3), normal(2, 2))),
    ("polyval", (whole(3), whole(4))),
    ("polyval", (normal(0), normal(2))),
    ("trapezoid", (normal(4),)),
    ("trapezoid", (normal(4, 2), np.arange(4, dtype="float32"), 1.0, 0)),
    ("trapezoid", (normal(4, 2), None, np.float32(0.5))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_products_agree_with_numpy(case: Any, agree: Any) -> None:
    name, args = case
    agree(getattr(products, {"trapezoid": "trapz"}.get(name, name)), getattr(np, name), *args)


EINSUMS = [
    ("ij->ji", [normal(2, 3)]),
    ("ij->", [normal(2, 3)]),
    ("ij->j", [normal(0, 3)]),
    ("ii", [normal(3, 3)]),
    ("ii->i", [normal(3, 3)]),
    ("iij->j", [normal(3, 3, 2)]),
    ("i,i", [normal(3), normal(3)]),
    ("i,j", [normal(3), normal(2)]),
    ("ij,jk", [normal(2, 3), normal(3, 4)]),
    ("bij, bjk -> bik", [normal(5, 2, 3), normal(5, 3, 4)]),
    ("...ij,...jk->...ik", [normal(5, 2, 3), normal(3, 4)]),
    ("...->...", [normal(2, 3)]),
    ("...,...", [normal(), normal()]),
    (",ij", [normal(), normal(2, 3)]),
    (",", [normal(), normal()]),
    ("...,i->i", [normal(), normal(3)]),
    ("ij,jk,kl->il", [normal(2, 3), normal(3, 4), normal(4, 2)]),
    ("ij,ij,ij->", [normal(2, 3), normal(2, 3), normal(2, 3)]),
    ("i,i", [whole(3), whole(3)]),
    ("ij,jk->ik", [normal(2, 0), normal(0, 3)]),
    *[
        (f"{left},{right}->{result}", [normal(3, 3), normal(3, 3)])
        for left in ("ij", "ji")
        for right in ("jk", "kj")
        for result in ("ik", "ki")
    ],
    ("bij,bkj->bki", [normal(2, 3, 4), normal(2, 5, 4)]),
    ("bij,bkj->bik", [normal(1, 3, 4), normal(2, 5, 4)]),
    ("ij,jk->ik", [normal(2, 1), normal(3, 4)]),
    ("ij,ij->ij", [normal(2, 3), normal(2, 3)]),
    ("ij,jk", [normal(3, 3), normal(3, 3)]),
    ("kj,ji", [normal(3, 3), normal(3, 3)]),
    ("ij,kl->ijkl", [normal(2, 3), normal(3, 2)]),
    ("bhqd,bhkd->bhqk", [normal(2, 2, 3, 4), normal(2, 2, 5, 4)]),
]


@pytest.mark.parametrize(("subscripts", "arrays"), EINSUMS, ids=[case[0] for case in EINSUMS])
@pytest.mark.parametrize("optimize", [False, True])
def test_einsum_agrees_with_numpy(subscripts: str, arrays: Any, optimize: bool, agree: Any) -> None:
    agree(products.einsum, np.einsum, subscripts, *arrays, optimize=optimize)


def test_einsum_takes_lists_of_labels(agree: Any) -> None:
    a, b = normal(2, 3), normal(3, 4)
    agree(products.einsum, np.einsum, a, [0, 1], b, [1, 2])
    agree(products.einsum, np.einsum, a, [0, 1], b, [1, 2], [2, 0])
    agree(products.einsum, np.einsum, a, [Ellipsis, 1], [1, Ellipsis])


def test_element_types_are_promoted(agree: Any) -> None:
    a, b = normal(2, 3), normal(3, 4)
    agree(products.matmul, np.matmul, a, b.astype("float64"))
    expected = (a @ whole(3, 4)).astype("float32")
    agree(products.dot, lambda *_: expected * 0, a, whole(3, 4) * 0)
    agree(products.matmul, np.matmul, a.astype("float64"), b)


GRADIENTS: dict[str, Any] = {
    "dot of vectors": (products.dot, (3,), (3,)),
    "dot of matrices": (products.dot, (2, 3), (3, 4)),
    "dot of tensors": (products.dot, (2, 3), (2, 3, 2)),
    "dot of scalars": (products.dot, (), (2,)),
    "matmul of vectors": (products.matmul, (3,), (3,)),
    "matmul of vector and matrices": (products.matmul, (3,), (2, 3, 2)),
    "matmul of batches": (products.matmul, (2, 1, 2, 3), (3, 3, 2)),
    "inner": (products.inner, (2, 3), (4, 3)),
    "outer": (products.outer, (2,), (3,)),
    "vdot": (products.vdot, (2, 2), (2, 2)),
    "tensordot": (lambda a, b: products.tensordot(a, b, ([0], [1])), (2, 3), (3, 2)),
    "kron": (products.kron, (2, 2), (2,)),
    "cross": (products.cross, (2, 3), (3,)),
    "polyval": (products.polyval, (3,), (2, 2)),
    "trapz": (products.trapz, (4,), (4,)),
    "einsum": (lambda a, b: products.einsum("ij,jk->ki", a, b), (2, 3), (3, 2)),
    "einsum to a scalar": (lambda a, b: products.einsum("ij,ij", a, b), (2, 3), (2, 3)),
    "einsum of diagonals": (lambda a, b: products.einsum("ii,ij->j", a, b), (3, 3), (3, 2)),
    "einsum with a scalar": (lambda a, b: products.einsum(",i->i", a, b), (), (3,)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, check_gradient: Any) -> None:
    function, *sizes = GRADIENTS[name]
    check_gradient(function, *(RANDOM.normal(size=size) for size in sizes))


def test_numbers_and_lists(agree: Any) -> None:
    x = normal(2, 3)
    agree(lambda a: products.dot(a, 2), lambda a: a * np.float32(2), x)
    agree(lambda a: products.dot(a, [1, 2, 3]), lambda a: a @ np.arange(1, 4, dtype="float32"), x)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("dot", (normal(2, 3), normal(2, 3))),
        ("matmul", (normal(2, 3), normal(2, 3))),
        ("matmul", (normal(), normal(2, 3))),
        ("tensordot", (normal(2, 3), normal(2, 3), 1)),
        ("tensordot", (normal(2, 3), normal(2, 3), 3)),
        ("tensordot", (normal(2, 2), normal(2, 2), ([0, 0], [0, 1]))),
        ("cross", (normal(2), normal(2))),
        ("einsum", ()),
        ("einsum", ("ij,jk", normal(2, 3))),
        ("einsum", ("ij->k", normal(2, 3))),
    ],
)
def test_errors(name: str, args: Any, agree: Any) -> None:
    with pytest.raises(ValueError):
        agree(getattr(products, name), lambda *a: None, *args)
