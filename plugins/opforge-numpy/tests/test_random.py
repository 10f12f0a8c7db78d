"""Distributions of `np.random`: shapes, moments, gradients and errors."""

import math

import numpy as np
import pytest
from opforge_numpy.arrays import adopt, ndarray
from opforge_numpy.np import random

from opforge import autograd, cpu, nd, npx
from opforge.base.numpy_semantics import set_np_default_dtype


@pytest.fixture(autouse=True)
def seeded():
    random.seed(7)


def array(values):
    return adopt(nd.array(values, dtype="float32"))


#: Distribution -> (parameters, mean, standard deviation).
DISTRIBUTIONS = {
    "uniform": ((2, 4), 3, 2 / math.sqrt(12)),
    "normal": ((3, 2), 3, 2),
    "lognormal": ((0, 0.5), math.exp(0.125), math.sqrt(math.exp(0.25) * (math.exp(0.25) - 1))),
    "exponential": ((2,), 2, 2),
    "rayleigh": ((2,), 2 * math.sqrt(math.pi / 2), 2 * math.sqrt(2 - math.pi / 2)),
    "weibull": ((2,), math.gamma(1.5), math.sqrt(1 - math.gamma(1.5) ** 2)),
    "pareto": ((5,), 0.25, math.sqrt(5 / (16 * 3))),
    "power": ((2,), 2 / 3, math.sqrt(1 / 18)),
    "gumbel": ((1, 2), 1 + 2 * float(np.euler_gamma), math.pi / math.sqrt(6) * 2),
    "logistic": ((1, 2), 1, 2 * math.pi / math.sqrt(3)),
    "laplace": ((1, 2), 1, 2 * math.sqrt(2)),
    "gamma": ((3, 2), 6, 2 * math.sqrt(3)),
    "beta": ((2, 3), 0.4, 0.2),
    "chisquare": ((4,), 4, math.sqrt(8)),
    "f": ((5, 12), 1.2, math.sqrt(2 * 144 * 15 / (5 * 100 * 8))),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("kind", ["numbers", "arrays"])
def test_moments(name, kind):
    parameters, mean, deviation = DISTRIBUTIONS[name]
    if kind == "arrays":
        parameters = [array([value] * 4) for value in parameters]
    drawn = getattr(random, name)(*parameters, size=(2500, 4))
    assert type(drawn) is ndarray
    values = drawn.asnumpy()
    assert values.dtype == np.float32
    assert np.isfinite(values).all()
    assert abs(values.mean() - mean) < 6 * deviation / 100
    assert values.std() == pytest.approx(deviation, rel=0.15)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_shapes(name):
    draw, parameters = getattr(random, name), DISTRIBUTIONS[name][0]
    assert draw(*parameters).shape == ()
    assert draw(*parameters, size=3).shape == (3,)
    assert draw(*parameters, size=(2, 0)).shape == (2, 0)
    shapes = [(3, 1), (4,)][: len(parameters)]
    arrays = [array(np.full(s, v)) for s, v in zip(shapes, parameters, strict=True)]
    broadcast = np.broadcast_shapes(*shapes)
    assert draw(*arrays).shape == broadcast
    assert draw(*arrays, size=(2, *broadcast)).shape == (2, *broadcast)
    assert draw(np.ones(3).tolist() if len(parameters) == 1 else 1, *parameters[1:]) is not None
    with pytest.raises(ValueError, match=r"broadcast|mismatch"):
        draw(*arrays, size=(5,))


@pytest.mark.parametrize(
    "name", ["normal", "lognormal", "exponential", "rayleigh", "gumbel", "logistic", "laplace"]
)
def test_gradients_of_locations_and_scales(name):
    parameters = [array([value]) for value in DISTRIBUTIONS[name][0]]
    for parameter in parameters:
        parameter.attach_grad()
    with autograd.record():
        drawn = getattr(random, name)(*parameters, size=(5,))
        total = drawn.sum()
    total.backward()
    *location, scale = (parameter.asnumpy() for parameter in parameters)
    values = drawn.asnumpy().astype("float64")
    if name == "lognormal":
        expected = [values, values * (np.log(values) - location[0]) / scale]
    else:
        expected = [np.ones(5)] * len(location) + [(values - sum(location)) / scale]
    for parameter, gradient in zip(parameters, expected, strict=True):
        np.testing.assert_allclose(parameter.grad.asnumpy(), [gradient.sum()], rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "gradient"),
    [
        ("weibull", lambda x, a: -x * np.log(x) / a),
        ("pareto", lambda x, a: -(1 + x) * np.log1p(x) / a),
        ("power", lambda x, a: -x * np.log(x) / a),
    ],
)
def test_gradients_of_shapes(name, gradient):
    a = array([2, 3])
    a.attach_grad()
    with autograd.record():
        drawn = getattr(random, name)(a)
    drawn.backward()
    expected = gradient(drawn.asnumpy().astype("float64"), np.array([2, 3]))
    np.testing.assert_allclose(a.grad.asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "parameters", "text"),
    [
        ("normal", (0, -1), "scale is negative: -1"),
        ("gamma", (1, 0), "scale is 0 or negative"),
        ("gamma", (-1,), "shape is 0 or negative"),
        ("gamma", (1, -1), "scale is 0 or negative"),
        ("pareto", (0,), "a is 0 or negative"),
        ("beta", (1, 0), "b is 0 or negative"),
        ("f", (0, 1), "dfnum is 0 or negative"),
        ("chisquare", (0,), "df is 0 or negative"),
    ],
)
def test_parameters_out_of_range(name, parameters, text):
    draw = getattr(random, name)
    with pytest.raises(ValueError, match=text):
        draw(*parameters)
    with pytest.raises(ValueError, match=text):
        draw(*(array([1, value]) for value in parameters))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_results_are_on_the_device_of_the_parameters(name):
    draw, parameters = getattr(random, name), DISTRIBUTIONS[name][0]
    arrays = [array([value]).as_in_context(cpu(1)) for value in parameters]
    assert draw(*arrays).context == cpu(1)
    assert draw(arrays[0], *parameters[1:], size=(2, 1)).context == cpu(1)


def test_choices_and_counts_are_on_the_device_of_the_parameters():
    x, p = (array(values).as_in_context(cpu(1)) for values in ([1, 2], [0.5, 0.5]))
    for found in (
        random.choice(x, 2),
        random.choice(x, 2, replace=False),
        random.choice(2, 2, p=p),
        random.choice(x, 2, replace=False, p=p),
        random.multinomial(3, p),
        random.permutation(x),
        npx.random.bernoulli(p),
    ):
        assert found.context == cpu(1)
    assert random.choice(2, 2, ctx=cpu(1)).context == cpu(1)


def test_types():
    assert random.normal(size=2, dtype="float64").dtype == np.float64
    assert random.uniform(nd.zeros((2,), dtype="float64"), 1).dtype == np.float32
    set_np_default_dtype(True)
    try:
        assert random.uniform(size=2).dtype == np.float64
        assert random.gamma(array([2])).dtype == np.float64
    finally:
        set_np_default_dtype(False)
    assert random.randint(5, size=2).dtype == np.int64
    assert random.randint(5, size=2, dtype="int32").dtype == np.int32


def test_results_in_place():
    out = array([0, 0, 0])
    assert random.uniform(1, 2, size=3, out=out) is out
    assert (out.asnumpy() >= 1).all()
    with pytest.raises(ValueError, match="shape"):
        random.uniform(out=out)


def test_seeds_and_standard_forms():
    random.seed(3)
    first = random.rand(2, 3).asnumpy()
    random.seed(3)
    np.testing.assert_array_equal(random.uniform(size=(2, 3)).asnumpy(), first)
    assert random.randn(2, 3).shape == (2, 3)
    assert random.randn().shape == ()


def test_integers():
    drawn = random.randint(2, 5, size=1000).asnumpy()
    assert set(drawn) == {2, 3, 4}
    assert random.randint(5).shape == ()
    with pytest.raises(ValueError, match="low is 0, expected less than high=0"):
        random.randint(0)


def test_choice():
    x = array(np.arange(6).reshape(3, 2))
    assert random.choice(5).shape == ()
    assert random.choice(array([1, 2])).shape == ()
    assert random.choice(x).shape == (2,)
    assert random.choice(x, (2, 4)).shape == (2, 4, 2)
    assert random.choice(5, (3, 0)).shape == (3, 0)
    assert sorted(random.choice(array([1, 2, 3]), 3, replace=False).asnumpy()) == [1, 2, 3]
    p = array([0, 0.25, 0.75])
    many = random.choice(3, 4000, p=p).asnumpy()
    assert np.bincount(many, minlength=3) / 4000 == pytest.approx([0, 0.25, 0.75], abs=0.05)
    pairs = [tuple(random.choice(3, 2, replace=False, p=p).asnumpy()) for _ in range(200)]
    assert set(pairs) == {(1, 2), (2, 1)}
    assert pairs.count((2, 1)) == pytest.approx(150, abs=40)
    with pytest.raises(ValueError, match="6 entries cannot be drawn from 3"):
        random.choice(3, (2, 3), replace=False)
    with pytest.raises(ValueError, match="empty"):
        random.choice(0)


def test_orders():
    x = array(np.arange(20).reshape(10, 2))
    before = x.asnumpy()
    assert random.shuffle(x) is None
    after = x.asnumpy()
    assert not (after == before).all()
    np.testing.assert_array_equal(after[after[:, 0].argsort()], before)
    mixed = random.permutation(x).asnumpy()
    np.testing.assert_array_equal(mixed[mixed[:, 0].argsort()], before)
    assert sorted(random.permutation(4).asnumpy()) == [0, 1, 2, 3]


def test_counts():
    assert random.multinomial(10, [0.2, 0.8]).shape == (2,)
    drawn = random.multinomial(100, array([0.2, 0.8]), size=(50, 2)).asnumpy()
    assert drawn.shape == (50, 2, 2)
    assert (drawn.sum(-1) == 100).all()
    assert drawn.mean((0, 1)) == pytest.approx([20, 80], abs=2)
    with pytest.raises(ValueError, match="sum to"):
        random.multinomial(1, [0.7, 0.7])


def test_vectors():
    mean, cov = array([1, -1]), np.array([[2, 1], [1, 3]], "float32")
    mean.attach_grad()
    with autograd.record():
        drawn = random.multivariate_normal(mean, array(cov), size=4000)
    drawn.backward()
    values = drawn.asnumpy()
    assert values.mean(0) == pytest.approx([1, -1], abs=0.15)
    np.testing.assert_allclose(np.cov(values.T), cov, atol=0.3)
    np.testing.assert_array_equal(mean.grad.asnumpy(), [4000, 4000])
    means, same = array(np.zeros((3, 2))), array(np.zeros((2, 2)))
    assert random.multivariate_normal(means, array(cov), size=(2, 3)).shape == (2, 3, 3, 2)
    np.testing.assert_array_equal(random.multivariate_normal(mean, same).asnumpy(), [1, -1])
    with pytest.raises(ValueError, match="cov has shape"):
        random.multivariate_normal(mean, array(np.eye(3)))


def test_counts_of_no_outcomes():
    for pvals in ([], array([])):
        assert random.multinomial(5, pvals).shape == (0,)
        assert random.multinomial(5, pvals, size=(2, 3)).shape == (2, 3, 0)


def test_choice_by_weights_of_another_type():
    weights = array([0.5, 0.25, 0.25]).astype("float16")
    assert random.choice(3, 2, replace=False, p=weights).shape == (2,)
