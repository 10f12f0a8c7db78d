import numpy as np
import pytest
from opforge_normalization import checks

from opforge import gluon, nd, sym
from opforge.base.errors import ShapeError
from opforge.testing import check_gradients

RNG = np.random.default_rng(0)


def arrays(shape, groups, dtype="float64"):
    values = RNG.standard_normal(shape), *RNG.standard_normal((2, groups))
    return [nd.array(value, dtype=dtype) for value in values]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_values_and_gradients(groups, dtype):
    given = arrays((2, 6, 3, 2), groups, dtype)
    have = nd.GroupNorm(*given, num_groups=groups, eps=0.01).asnumpy()
    values = [x.asnumpy().astype("float64") for x in given]
    tolerance = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-9}[dtype]
    want = checks.group_norm(*values, groups, 0.01)
    np.testing.assert_allclose(have, want, tolerance, tolerance)
    if dtype == "float64":
        check_gradients(
            lambda *a: nd.GroupNorm(*a, num_groups=groups, eps=0.1), values, rtol=1e-4, atol=1e-6
        )


def test_mean_and_deviation_on_request():
    given = arrays((2, 6, 3), 3)
    y, mean, std = nd.GroupNorm(*given, num_groups=3, output_mean_var=True)
    groups = given[0].asnumpy().reshape(2, 3, -1)
    assert y.shape == (2, 6, 3)
    np.testing.assert_allclose(mean.asnumpy(), groups.mean(2), 1e-9)
    np.testing.assert_allclose(std.asnumpy(), np.sqrt(groups.var(2) + 1e-5), 1e-9)
    symbol = sym.GroupNorm(sym.var("x"), num_groups=3, output_mean_var=True)
    assert symbol.infer_shape(x=(2, 6, 3))[1] == [(2, 6, 3), (2, 3), (2, 3)]


@pytest.mark.parametrize("shape", [(0, 4, 3), (2, 4, 0)])
def test_empty_data(shape):
    assert nd.GroupNorm(nd.ones(shape), nd.ones((2,)), nd.ones((2,)), num_groups=2).shape == shape


@pytest.mark.parametrize(
    ("shape", "each", "message"),
    [
        ((2, 4), 2, "three dimensions"),
        ((2, 5, 3), 2, "does not divide the 5 channels"),
        ((2, 4, 3), 4, r"gamma has shape \(4,\); expected \(2,\)"),
    ],
)
def test_invalid_shapes_raise(shape, each, message):
    with pytest.raises(ShapeError, match=message):
        nd.GroupNorm(nd.ones(shape), nd.ones((each,)), nd.ones((each,)), num_groups=2)


def test_the_layer():
    layer = gluon.nn.GroupNorm(2, prefix="group_")
    assert repr(layer) == "GroupNorm(eps=1e-05, num_groups=2, center=True, scale=True)"
    layer.initialize()
    assert {k: p.shape for k, p in layer.collect_params().items()} == {
        "group_gamma": (2,),
        "group_beta": (2,),
    }
    x = RNG.standard_normal((2, 4, 3))
    want = checks.group_norm(x, np.ones(2), np.zeros(2), 2)
    for _ in range(2):
        np.testing.assert_allclose(layer(nd.array(x)).asnumpy(), want, 1e-4, 1e-5)
        layer.hybridize()
