"""`np.linalg` against NumPy."""

from typing import Any

import numpy as np
import pytest
from opforge_numpy.np import linalg

from opforge import autograd

RANDOM = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    """Return random matrices that are far from singular."""
    values = np.asarray(RANDOM.normal(size=shape))
    if len(shape) > 1 and shape[-1] == shape[-2]:
        values = values + 3 * np.eye(shape[-1])
    return values.astype("float32")


def positive(*shape: int) -> Any:
    """Return symmetric positive definite matrices."""
    x = RANDOM.normal(size=shape)
    return (x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])).astype("float32")


SQUARES = [normal(3, 3), normal(2, 2, 3, 3), normal(0, 3, 3), normal(1, 1), normal(2, 0, 0)]
CASES = [
    *[(name, (x,), {}) for x in SQUARES for name in ("inv", "det", "slogdet")],
    *[("cholesky", (x,), {}) for x in (positive(3, 3), positive(2, 2, 2))],
    *[("eigvalsh", (x,), {}) for x in (positive(3, 3), positive(2, 2, 2))],
    ("eigvalsh", (normal(3, 3), "U"), {}),
    ("solve", (normal(3, 3), normal(3)), {}),
    ("solve", (normal(3, 3), normal(3, 2)), {}),
    ("solve", (normal(2, 3, 3), normal(2, 3, 2)), {}),
    ("solve", (normal(2, 1, 3, 3), normal(4, 3, 1)), {}),
    ("tensorinv", (normal(4, 4).reshape(2, 2, 4),), {}),
    ("tensorinv", (normal(6, 6).reshape(6, 2, 3),), {"ind": 1}),
    ("tensorsolve", (normal(6, 6).reshape(2, 3, 6), normal(2, 3)), {}),
    ("tensorsolve", (normal(6, 6).reshape(6, 2, 3), normal(2, 3)), {"axes": (0,)}),
    ("pinv", (normal(2, 4),), {}),
    ("pinv", (normal(3, 4, 2),), {}),
    ("pinv", (positive(3, 3),), {"hermitian": True}),
    ("matrix_power", (normal(3, 3), 3), {}),
    ("matrix_power", (normal(2, 3, 3), 0), {}),
    ("matrix_power", (normal(3, 3), -2), {}),
    ("multi_dot", ([normal(2, 3), normal(3, 4), normal(4, 2)],), {}),
    ("multi_dot", ([normal(3), normal(3, 4), normal(4)],), {}),
    ("multi_dot", ([normal(2, 3), normal(3, 4)],), {}),
    *[("norm", (x,), {}) for x in (normal(3), normal(2, 3), normal(2, 3, 4), normal(), normal(0))],
    *[("norm", (normal(4), order), {}) for order in (None, 0, 1, 2, 3, -1, 0.5, np.inf, -np.inf)],
    *[
        ("norm", (normal(3, 4), order), {"keepdims": keepdims})
        for order in (None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc")
        for keepdims in (False, True)
    ],
    *[("norm", (normal(2, 3, 4),), {"axis": axis}) for axis in (0, -1, (0, 2), (2, 0), (1,))],
    ("norm", (normal(2, 3, 4), 1), {"axis": (0, 2), "keepdims": True}),
    ("norm", (normal(2, 3, 4), "nuc"), {"axis": (2, 0)}),
    ("norm", (normal(2, 3, 4), 3), {"axis": 1, "keepdims": True}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_functions_agree_with_numpy(case: Any, agree: Any) -> None:
    name, args, kwargs = case
    if name == "slogdet":
        agree(linalg.slogdet, lambda x: tuple(np.linalg.slogdet(x)), *args)
    else:
        agree(getattr(linalg, name), getattr(np.linalg, name), *args, **kwargs)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (2, 3, 2), (0, 2, 3)])
def test_svd(shape: Any, agree: Any) -> None:
    agree(linalg.svd, lambda x: tuple(np.linalg.svd(x, full_matrices=False)), normal(*shape))


def test_eigenvectors(agree: Any) -> None:
    agree(linalg.eigh, lambda x: tuple(np.linalg.eigh(x)), positive(2, 3, 3))
    agree(linalg.eig, lambda x: tuple(np.linalg.eig(x)), positive(3, 3))
    agree(linalg.eigvals, np.linalg.eigvals, positive(3, 3))


@pytest.mark.parametrize("name", ["cond", "matrix_rank"])
@pytest.mark.filterwarnings("ignore:np.linalg")
def test_functions_in_numpy(name: str, agree: Any) -> None:
    agree(getattr(linalg, name), getattr(np.linalg, name), normal(3, 2))


@pytest.mark.parametrize("mode", ["reduced", "complete", "raw"])
def test_qr(mode: str, agree: Any) -> None:
    agree(linalg.qr, lambda x, mode: tuple(np.linalg.qr(x, mode)), normal(2, 3, 2), mode)
    agree(linalg.qr, lambda x, mode: np.linalg.qr(x, mode), normal(2, 3), "r")


def test_no_gradient_of_qr_of_wide_matrices() -> None:
    x = agree_array(normal(2, 3))
    x.attach_grad()
    with autograd.record():
        q, _ = linalg.qr(x)
    with pytest.raises(NotImplementedError, match="qr has a gradient for"):
        q.backward()


def test_full_svd(agree: Any) -> None:
    x = normal(2, 4, 3)
    u, s, v = linalg.svd(agree_array(x), full_matrices=True)
    assert (u.shape, v.shape) == ((2, 4, 4), (2, 3, 3))
    np.testing.assert_allclose(((u[:, :, :3] * s[:, None]) @ v).asnumpy(), x, atol=1e-5)
    y = agree_array(x)
    y.attach_grad()
    with autograd.record():
        u, _, _ = linalg.svd(y, full_matrices=True)
    with pytest.raises(NotImplementedError, match="full_matrices=True has no gradient"):
        u.backward()


@pytest.mark.filterwarnings("ignore:np.linalg")
def test_lstsq(agree: Any) -> None:
    expected = lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0]  # noqa: E731
    agree(lambda a, b: linalg.lstsq(a, b, rcond=None)[0], expected, normal(3, 2), normal(3))


def test_element_types(agree: Any) -> None:
    x = np.array([[2, 1], [1, 3]])
    agree(linalg.inv, lambda x: np.linalg.inv(x).astype("float32"), x.astype("int32"))
    agree(linalg.det, np.linalg.det, x.astype("float64"))
    half = x.astype("float16")
    agree(linalg.norm, lambda x: np.linalg.norm(x).astype("float16"), half)
    agree(linalg.eigh, lambda x: tuple(np.linalg.eigh(x)), x.astype("float64"))
    found = linalg.inv(agree_array(half))
    assert found.dtype == np.float16


def agree_array(values: Any) -> Any:
    from opforge_numpy.arrays import adopt

    from opforge import nd

    return adopt(nd.array(values, dtype=values.dtype))


def symmetric(function: Any) -> Any:
    """Return a function of the symmetric part of its argument."""
    return lambda x: function((x + x.swapaxes(-1, -2)) / 2)


def of_columns(u: Any) -> Any:
    """Return products that do not depend on the signs of singular vectors."""
    return u * u


GRADIENTS: dict[str, Any] = {
    "q of qr": (lambda x: linalg.qr(x)[0], normal(3, 2)),
    "r of qr": (lambda x: linalg.qr(x)[1], normal(2, 3, 3)),
    "inv": (linalg.inv, normal(3, 3)),
    "inv of batches": (linalg.inv, normal(2, 2, 2)),
    "det": (linalg.det, normal(3, 3)),
    "det of batches": (linalg.det, normal(2, 3, 3)),
    "det of a singular matrix": (linalg.det, np.diag([1.0, 2.0, 0.0])),
    "slogdet": (lambda x: linalg.slogdet(x)[1], normal(2, 3, 3)),
    "solve": (linalg.solve, normal(3, 3), normal(3, 2)),
    "solve for a vector": (linalg.solve, normal(3, 3), normal(3)),
    "solve for batches": (linalg.solve, normal(3, 3), normal(2, 3, 2)),
    "tensorinv": (lambda x: linalg.tensorinv(x.reshape(2, 2, 4)), normal(4, 4)),
    "tensorsolve": (
        lambda a, b: linalg.tensorsolve(a.reshape(2, 2, 4), b),
        normal(4, 4),
        normal(2, 2),
    ),
    "pinv of tall matrices": (linalg.pinv, normal(2, 4, 2)),
    "pinv of wide matrices": (linalg.pinv, normal(2, 3)),
    "cholesky": (symmetric(linalg.cholesky), positive(3, 3)),
    "cholesky of batches": (symmetric(linalg.cholesky), positive(2, 2, 2)),
    "svd": (lambda x: [*map(of_columns, linalg.svd(x))], normal(3, 3)),
    "svd of tall matrices": (lambda x: [*map(of_columns, linalg.svd(x))], normal(2, 4, 2)),
    "svd of wide matrices": (lambda x: [*map(of_columns, linalg.svd(x))], normal(2, 4)),
    "eigh": (symmetric(lambda x: [*map(of_columns, linalg.eigh(x))]), positive(3, 3)),
    "eigvalsh": (symmetric(linalg.eigvalsh), positive(2, 3, 3)),
    "matrix_power": (lambda x: linalg.matrix_power(x, 3), normal(2, 2)),
    "multi_dot": (lambda a, b: linalg.multi_dot([a, b, a]), normal(2, 3), normal(3, 2)),
    "norm": (linalg.norm, normal(2, 3)),
    "norm of all elements": (linalg.norm, normal(2, 3, 2)),
    "norm of vectors": (lambda x: linalg.norm(x, 3, axis=-1), normal(2, 3)),
    "largest element": (lambda x: linalg.norm(x, np.inf, axis=0), normal(2, 3)),
    "spectral norm": (lambda x: linalg.norm(x, 2), normal(2, 3)),
    "nuclear norm": (lambda x: linalg.norm(x, "nuc"), normal(2, 3)),
    "norm of columns": (lambda x: linalg.norm(x, 1), normal(2, 3)),
    "Frobenius norms": (lambda x: linalg.norm(x, axis=(0, 2)), normal(2, 3, 2)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, check_gradient: Any) -> None:
    function, *values = GRADIENTS[name]
    check_gradient(function, *values, tolerance=1e-5)


def test_general_eigenvalues_have_no_gradient() -> None:
    x = agree_array(positive(2, 2))
    x.attach_grad()
    with autograd.record():
        y = linalg.eigvals(x)
    with pytest.raises(NotImplementedError, match="eigh"):
        y.backward()


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("inv", (normal(2, 3),), np.linalg.LinAlgError),
        ("inv", (np.zeros((2, 2)),), np.linalg.LinAlgError),
        ("cholesky", (-np.eye(2),), np.linalg.LinAlgError),
        ("det", (normal(3),), np.linalg.LinAlgError),
        ("solve", (normal(3, 3), normal(2)), ValueError),
        ("eig", (np.array([[0.0, 1.0], [-1.0, 0.0]]),), TypeError),
        ("tensorinv", (normal(2, 3),), np.linalg.LinAlgError),
        ("tensorinv", (normal(2, 2), 0), ValueError),
        ("norm", (normal(2, 3, 4), 1), ValueError),
        ("norm", (normal(3), "fro"), ValueError),
        ("norm", (normal(2, 3), 3), ValueError),
        ("norm", (normal(2, 3), None, (0, 0)), ValueError),
        ("multi_dot", ([normal(2, 3)],), ValueError),
    ],
)
def test_errors(name: str, args: Any, error: Any, agree: Any) -> None:
    with pytest.raises(error):
        agree(getattr(linalg, name), lambda *a: None, *args)


def test_orders_of_norms_as_strings(agree: Any) -> None:
    x = np.array([[1, -5], [2, 3]], "float32")
    for text, order in (("inf", np.inf), ("-inf", -np.inf)):
        for axis in (None, 1):
            agree(
                lambda a, text=text, axis=axis: linalg.norm(a, text, axis),
                lambda a, order=order, axis=axis: np.linalg.norm(a, order, axis),
                x,
            )


def test_tensorsolve_with_as_many_axes(agree: Any) -> None:
    agree(linalg.tensorsolve, np.linalg.tensorsolve, np.ones((1, 1, 1)), np.ones((1, 1, 1)))


def test_systems_with_a_vector_for_each_matrix(agree: Any) -> None:
    a = np.random.default_rng(0).random((4, 3, 3)).astype("float32") + 3 * np.eye(
        3, dtype="float32"
    )
    b = np.ones((4, 3), "float32")
    agree(linalg.solve, lambda a, b: np.linalg.solve(a, b[..., None])[..., 0], a, b)
