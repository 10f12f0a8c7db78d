import numpy as np
import pytest

import opforge
from opforge import autograd, nd
from opforge.base.errors import AttributeValueError

random = nd.random
DRAWS = {
    "uniform": (lambda **kw: random.uniform(2, 6, **kw), 4, 16 / 12),
    "normal": (lambda **kw: random.normal(3, 2, **kw), 3, 4),
    "exponential": (lambda **kw: random.exponential(0.5, **kw), 0.5, 0.25),
    "gamma": (lambda **kw: random.gamma(2.5, 2, **kw), 5, 10),
    "small gamma": (lambda **kw: random.gamma(0.3, 1, **kw), 0.3, 0.3),
    "poisson": (lambda **kw: random.poisson(4, **kw), 4, 4),
    "large poisson": (lambda **kw: random.poisson(60, **kw), 60, 60),
    "negative_binomial": (lambda **kw: random.negative_binomial(3, 0.4, **kw), 4.5, 11.25),
    "generalized": (lambda **kw: random.generalized_negative_binomial(2, 0.5, **kw), 2, 4),
}
EVERY_DRAW = pytest.mark.parametrize("name", DRAWS)


@EVERY_DRAW
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_mean_and_variance(name, dtype):
    draw, mean, variance = DRAWS[name]
    opforge.random.seed(1)
    x = draw(shape=(100_000,), dtype=dtype)
    assert x.dtype == np.dtype(dtype)
    x = x.asnumpy().astype(np.float64)
    assert np.isfinite(x).all()
    assert abs(x.mean() - mean) < 6 * np.sqrt(variance / x.size)
    assert abs(x.var() / variance - 1) < 0.06


@EVERY_DRAW
def test_the_seed_repeats_and_calls_differ(name):
    draw = DRAWS[name][0]
    opforge.random.seed(5)
    first, second = (draw(shape=(50,)).asnumpy() for _ in range(2))
    assert (first != second).any()
    opforge.random.seed(5)
    np.testing.assert_array_equal(draw(shape=(50,)).asnumpy(), first)
    opforge.random.seed(6)
    assert (draw(shape=(50,)).asnumpy() != first).any()


def test_randint():
    opforge.random.seed(0)
    x = random.randint(-2, 3, shape=(1000,))
    assert x.dtype == np.int32
    assert set(x.asnumpy().tolist()) == {-2, -1, 0, 1, 2}
    huge = random.randint(0, 2**62, shape=(100,), dtype="int64")
    assert huge.dtype == np.int64
    assert huge.asnumpy().max() > 2**60
    with pytest.raises(AttributeValueError, match="low 5 must be less than high 5"):
        random.randint(5, 5)
    with pytest.raises(AttributeValueError, match="'float32' is not one of"):
        random.randint(0, 5, dtype="float32")


def test_randn_and_like():
    assert random.randn(2, 3, loc=5, dtype="float64").shape == (2, 3)
    assert random.randn().shape == (1,)
    like = nd.zeros((2, 5), dtype="float64")
    for draw in (random.uniform_like, random.normal_like, random.negative_binomial_like):
        assert (draw(like).shape, draw(like).dtype) == ((2, 5), np.float64)
    assert random.poisson_like(like, lam=3).shape == (2, 5)
    assert random.normal_like(like, loc=100).asnumpy().min() > 50


def test_multinomial():
    opforge.random.seed(0)
    weights = nd.array([[0.1, 0.0, 0.9], [1.0, 0.0, 0.0]])
    drawn, logs = random.multinomial(weights, shape=(4000,), get_prob=True)
    assert (drawn.shape, drawn.dtype) == ((2, 4000), np.int32)
    share = np.bincount(drawn.asnumpy()[0], minlength=3) / 4000
    np.testing.assert_allclose(share, [0.1, 0, 0.9], atol=0.03)
    assert not drawn.asnumpy()[1].any()
    with np.errstate(divide="ignore"):
        expected = np.log(weights.asnumpy()[0])[drawn.asnumpy()[0]]
    np.testing.assert_allclose(logs.asnumpy()[0], expected, rtol=1e-6)
    assert random.multinomial(weights).shape == (2,)
    assert random.multinomial(weights[0]).shape == (1,)
    assert random.multinomial(weights, shape=(5, 2), dtype="int64").shape == (2, 5, 2)


def test_shuffle_keeps_rows_together():
    opforge.random.seed(0)
    x = nd.arange(20).reshape((10, 2))
    y = random.shuffle(x).asnumpy()
    assert (y[:, 1] == y[:, 0] + 1).all()
    assert sorted(y[:, 0]) == list(range(0, 20, 2))
    assert (y != x.asnumpy()).any()


def test_nothing_is_recorded():
    with autograd.record():
        x = random.uniform(shape=(2,))
        x *= 2
    assert x.grad is None


@pytest.mark.parametrize("seed", ["a", 1.5, None])
def test_a_seed_must_be_an_integer(seed):
    with pytest.raises(ValueError, match="seed_state must be int"):
        opforge.random.seed(seed)


@pytest.mark.parametrize("seed", [0, -1, 2**40, 2**70, np.int64(3)])
def test_any_integer_is_a_seed(seed):
    opforge.random.seed(seed, ctx="all")
    first = random.uniform(shape=(3,)).asnumpy()
    opforge.random.seed(seed)
    np.testing.assert_array_equal(random.uniform(shape=(3,)).asnumpy(), first)


def test_exponential_by_rate_and_by_mean():
    opforge.random.seed(3)
    by_rate = nd.random_exponential(lam=4, shape=(3,)).asnumpy()
    opforge.random.seed(3)
    by_mean = nd.random.exponential(0.25, (3,)).asnumpy()
    assert by_rate.tolist() == by_mean.tolist()
    assert nd.exponential(nd.array([1, 2]), shape=(3,)).shape == (2, 3)
    with pytest.raises(AttributeValueError, match="lam is 0, expected a positive"):
        nd.random_exponential(lam=0)
