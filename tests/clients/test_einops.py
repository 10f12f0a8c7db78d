"""einops on arrays of the standard."""

import einops
import numpy as np
from einops import array_api

from opforge import array_api as xp
from opforge import autograd

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


def test_rearrange() -> None:
    pattern = "a b c -> (c a) b"
    found = array_api.rearrange(xp.asarray(X), pattern)
    assert type(found) is xp.Array
    np.testing.assert_array_equal(found.asnumpy(), einops.rearrange(X, pattern))


def test_reduce() -> None:
    pattern, sizes = "a b (c d) -> a d", {"d": 2}
    for reduction in ("mean", "max", "sum", "prod", "min"):
        found = array_api.reduce(xp.asarray(X), pattern, reduction, **sizes)
        expected = einops.reduce(X, pattern, reduction, **sizes)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_repeat_has_a_gradient() -> None:
    x = xp.asarray(X)
    x.attach_grad()
    with autograd.record():
        y = xp.sum(array_api.repeat(x, "a b c -> a b (c k)", k=3))
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full_like(X, 3))
