"""Elementary functions where they are special: poles, ends of the range, jumps."""

import numpy as np
import pytest

from opforge import autograd, nd

POINTS = np.array([-np.inf, -2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, np.inf, np.nan])


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("exp", np.exp),
        ("expm1", np.expm1),
        ("log", np.log),
        ("log1p", np.log1p),
        ("sqrt", np.sqrt),
        ("cbrt", np.cbrt),
        ("reciprocal", np.reciprocal),
        ("tanh", np.tanh),
        ("arctanh", np.arctanh),
        ("arcsin", np.arcsin),
        ("abs", np.abs),
        ("sign", np.sign),
        ("floor", np.floor),
        ("ceil", np.ceil),
        ("trunc", np.trunc),
        ("isnan", np.isnan),
        ("isinf", np.isinf),
        ("isfinite", np.isfinite),
    ],
)
def test_special_points(name, reference):
    with np.errstate(all="ignore"):
        want = np.asarray(reference(POINTS), dtype=float)
    have = getattr(nd, name)(nd.array(POINTS)).asnumpy()
    np.testing.assert_allclose(have, want, rtol=3e-7)


def test_halves_round_as_in_mxnet():
    x = nd.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    assert nd.round(x).asnumpy().tolist() == [-3, -2, -1, 1, 2, 3]
    assert nd.rint(x).asnumpy().tolist() == [-3, -2, -1, 0, 1, 2]
    assert nd.fix(x).asnumpy().tolist() == [-2, -1, 0, 0, 1, 2]


def test_gradient_at_the_kink_is_zero():
    x = nd.array([0.0])
    x.attach_grad()
    with autograd.record():
        y = nd.abs(x)
    y.backward()
    assert x.grad.asscalar() == 0


def test_steps_overwrite_an_old_gradient_with_zero():
    x = nd.array([1.5])
    x.attach_grad()
    x.grad[:] = 7
    with autograd.record():
        y = nd.floor(x)
    y.backward()
    assert x.grad.asscalar() == 0
