"""The linear algebra extension against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opforge import array_api as xp

RANDOM = np.random.default_rng(0)
SQUARES = RANDOM.normal(size=(2, 3, 3)).astype("float32") + 3 * np.eye(3, dtype="float32")
SYMMETRIC = SQUARES @ np.swapaxes(SQUARES, -1, -2)
TALL = RANDOM.normal(size=(2, 4, 3)).astype("float32")


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("matmul", (np.arange(6).reshape(2, 3), np.arange(3)), {}),
        ("tensordot", (TALL, TALL), {"axes": ((0, 1), (0, 1))}),
        ("vecdot", (TALL, TALL[0]), {"axis": -1}),
        ("matrix_transpose", (TALL,), {}),
        ("linalg.outer", (np.arange(3), np.arange(2)), {}),
        ("linalg.cross", (SQUARES, SQUARES[::-1]), {"axis": 1}),
        ("linalg.diagonal", (TALL,), {"offset": -1}),
        ("linalg.trace", (SQUARES,), {}),
        ("linalg.trace", (np.ones((2, 2), dtype="int32"),), {}),
        ("linalg.cholesky", (SYMMETRIC,), {"upper": True}),
        ("linalg.det", (SQUARES,), {}),
        ("linalg.slogdet", (SQUARES,), {}),
        ("linalg.inv", (SQUARES,), {}),
        ("linalg.solve", (SQUARES, TALL[:, :3]), {}),
        ("linalg.eigvalsh", (SYMMETRIC,), {}),
        ("linalg.svdvals", (TALL,), {}),
        ("linalg.pinv", (TALL,), {}),
        ("linalg.pinv", (TALL,), {"rtol": 0.5}),
        ("linalg.matrix_rank", (TALL,), {}),
        ("linalg.matrix_rank", (np.ones((2, 3, 3)),), {"rtol": np.asarray([0.1, 0.2])}),
        ("linalg.matrix_rank", (np.ones((2, 0, 3)),), {}),
        ("linalg.matrix_power", (SQUARES, -2), {}),
        ("linalg.matrix_norm", (TALL,), {"ord": "nuc", "keepdims": True}),
        ("linalg.vector_norm", (TALL,), {"axis": (0, 2), "ord": 1, "keepdims": True}),
        ("linalg.vector_norm", (TALL,), {"ord": np.inf}),
        ("linalg.vector_norm", (np.ones((0, 2), dtype="float32"),), {"axis": 0}),
    ],
)
def test_as_numpy(name: str, args: Any, kwargs: Any, agree: Callable[..., None]) -> None:
    agree(name, *args, **kwargs)


@pytest.mark.parametrize("full", [True, False])
def test_svd(full: bool) -> None:
    x = xp.asarray(TALL)
    u, s, vh = xp.linalg.svd(x, full_matrices=full)
    assert u.shape == ((2, 4, 4) if full else (2, 4, 3))
    rebuilt = (u[:, :, :3] * s[:, None, :]) @ vh
    np.testing.assert_allclose(rebuilt.asnumpy(), TALL, atol=1e-5)


@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(mode: str) -> None:
    q, r = xp.linalg.qr(xp.asarray(TALL), mode=mode)  # type: ignore[arg-type]
    assert q.shape == ((2, 4, 4) if mode == "complete" else (2, 4, 3))
    np.testing.assert_allclose((q @ r).asnumpy(), TALL, atol=1e-5)
    with pytest.raises(ValueError, match="mode is 'raw'"):
        xp.linalg.qr(xp.asarray(TALL), mode="raw")


def test_eigh() -> None:
    values, vectors = xp.linalg.eigh(xp.asarray(SYMMETRIC))
    rebuilt = (vectors * values[:, None, :]) @ vectors.mT
    np.testing.assert_allclose(rebuilt.asnumpy(), SYMMETRIC, rtol=1e-4, atol=1e-4)


def test_types_and_axes_are_checked() -> None:
    with pytest.raises(TypeError, match="inv: the array has type int64"):
        xp.linalg.inv(xp.asarray([[1]]))
    with pytest.raises(ValueError, match="no axes"):
        xp.matmul(xp.asarray(1), xp.ones(2))
    with pytest.raises(ValueError, match="negative"):
        xp.vecdot(xp.ones(2), xp.ones(2), axis=0)
    with pytest.raises(ValueError, match="lengths 2 and 3 differ"):
        xp.vecdot(xp.ones(2), xp.ones(3))
    with pytest.raises(ValueError, match="expected vectors"):
        xp.linalg.outer(xp.ones((1, 1)), xp.ones(1))
    with pytest.raises(ValueError, match="expected at least 2"):
        xp.matrix_transpose(xp.ones(1))
