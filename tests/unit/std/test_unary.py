"""Special cases of elementary functions: poles, ends of the range, jumps."""

import numpy as np
import pytest

from opforge import autograd, nd, sym

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


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("compiled", [False, True])
def test_sign_of_nan_is_zero(dtype, compiled):
    """As in MXNet and PyTorch: sign is 0 there, and so is the slope of abs."""
    x = nd.array(POINTS, dtype=dtype)
    x.attach_grad()
    if compiled:
        data = sym.var("x")
        both = sym.Group([sym.sign(data), sym.abs(data)])
        executor = both.bind(x.context, {"x": x}, args_grad={"x": x.grad})
        signs, _ = executor.forward(is_train=True)
        executor.backward([nd.ones_like(x)] * 2)
    else:
        with autograd.record():
            signs = nd.sign(x)
            total = signs + nd.abs(x)
        total.backward()
    wanted = np.nan_to_num(np.sign(POINTS), nan=0).tolist()
    assert signs.asnumpy().tolist() == wanted
    assert x.grad.asnumpy().tolist() == wanted


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
