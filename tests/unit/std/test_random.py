import numpy as np
import pytest

import opforge
from opforge import autograd, cpu, nd, std, sym
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.std.random import numpy_stream

# distribution: (values of its parameters, mean, variance)
DRAWS = {
    "uniform": ((2, 6), 4, 16 / 12),
    "normal": ((3, 2), 3, 4),
    "gamma": ((2.5, 2), 5, 10),
    "exponential": ((2,), 0.5, 0.25),
    "poisson": ((4,), 4, 4),
    "negative_binomial": ((3, 0.4), 4.5, 11.25),
    "generalized_negative_binomial": ((2, 0.5), 2, 4),
}


def operator(name):
    return getattr(nd._internal, name)


def assert_moments(values, mean, variance):
    values = values.astype(np.float64)
    assert abs(values.mean() - mean) < 6 * np.sqrt(variance / values.size)
    assert abs(values.var() / variance - 1) < 0.12


@pytest.mark.parametrize("name", DRAWS)
def test_the_three_operators_of_a_distribution(name):
    parameters, mean, variance = DRAWS[name]
    n = 20_000
    by_numbers = operator(f"_random_{name}")(*parameters, (n,))
    assert (by_numbers.shape, by_numbers.dtype) == ((n,), np.float32)
    assert_moments(by_numbers.asnumpy(), mean, variance)
    like = operator(f"_random_{name}_like")(nd.zeros((n,), dtype="float64"), *parameters)
    assert (like.shape, like.dtype) == ((n,), np.float64)
    assert_moments(like.asnumpy(), mean, variance)
    arrays = [nd.array([[value, value]]) for value in parameters]
    sampled = operator(f"_sample_{name}")(*arrays, shape=(n,))
    assert sampled.shape == (1, 2, n)
    assert_moments(sampled.asnumpy()[0, 1], mean, variance)
    assert (sampled.asnumpy()[0, 0] != sampled.asnumpy()[0, 1]).any()


@pytest.mark.parametrize("name", [row.name for row in std.ROWS if "_random_" in row.name])
def test_requests(name):
    prop_class = opforge.op.registry.registry.lookup(name).prop_class
    needed = {key: 3 for key, a in prop_class.attributes.items() if a.required}
    if name == "_random_randint":
        needed["high"] = 9
    prop = prop_class(**needed)
    inputs = [nd.zeros((50,)) for _ in prop.list_arguments()]
    out = nd.full((50,), 100.0)
    prop.compute(inputs, [out], ["null"], 0)
    assert (out.asnumpy() == 100).all()
    opforge.random.seed(1)
    prop.compute(inputs, [out], ["add"], 0)
    added = out.asnumpy() - 100
    opforge.random.seed(1)
    prop.compute(inputs, [out], ["write"], 0)
    np.testing.assert_allclose(added, out.asnumpy(), atol=1e-4)


def test_defaults_and_types():
    assert operator("_random_uniform")().shape == (1,)
    assert operator("_random_uniform")(shape=(0, 2)).shape == (0, 2)
    assert operator("_random_normal")(shape=2, dtype="float16").dtype == np.float16
    assert operator("_random_randint")(0, 9).dtype == np.int32
    assert operator("_random_randint")(0, 9, dtype="int64").dtype == np.int64
    with cpu(1):
        assert operator("_random_uniform")().context == cpu(1)
    with pytest.raises(AttributeValueError, match="dtype 'int32' is not one of"):
        operator("_random_uniform")(dtype="int32")
    with pytest.raises(AttributeValueError, match=r"lam is -1\.0, expected a positive number"):
        operator("_random_exponential")(lam=-1)
    with pytest.raises(ShapeError, match=r"shapes \(1,\), \(2,\), expected equal shapes"):
        operator("_sample_uniform")(nd.zeros((1,)), nd.zeros((2,)))


def test_names_of_mxnet():
    for name in ("random_uniform", "uniform", "random_normal", "normal", "sample_gamma"):
        assert getattr(sym, name)().name.startswith(name)
    assert sym.shuffle(sym.var("x"), name="s").list_outputs() == ["s_output"]


def test_multinomial_and_shuffle():
    weights = nd.array([[0.2, 0.8], [1, 0]])
    drawn, logs = operator("_sample_multinomial")(weights, shape=(2000,), get_prob=True)
    assert abs(drawn.asnumpy()[0].mean() - 0.8) < 0.05
    assert not drawn.asnumpy()[1].any()
    assert set(np.round(np.exp(logs.asnumpy()[0]), 5)) == {np.float32(0.2), np.float32(0.8)}
    rows = operator("_shuffle")(nd.arange(40).reshape((20, 2))).asnumpy()
    assert (rows[:, 1] == rows[:, 0] + 1).all()
    assert sorted(rows[:, 0]) == list(range(0, 40, 2))


def test_nothing_is_recorded():
    x = nd.ones((3,))
    x.attach_grad()
    with autograd.record():
        y = operator("_sample_normal")(x, x)
        z = y * x
    z.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), y.asnumpy())


def test_no_pass_may_merge_draws():
    x = sym.random.uniform(shape=(100,), name="a") - sym.random.uniform(shape=(100,), name="b")
    first, second = (x.eval()[0].asnumpy() for _ in range(2))
    assert first.any()
    assert (first != second).any()


def test_the_stream_for_numpy_follows_the_seed_and_moves_on():
    opforge.random.seed(4)
    first, second = numpy_stream().random(3), numpy_stream().random(3)
    assert (first != second).all()
    opforge.random.seed(4)
    np.testing.assert_array_equal(numpy_stream().random(3), first)


def test_logarithms_of_drawn_probabilities_have_a_gradient():
    opforge.random.seed(1)
    weights = nd.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    weights.attach_grad()
    with autograd.record():
        drawn, logs = nd.sample_multinomial(weights, shape=(50,), get_prob=True)
        total = (logs * 2).sum()
    total.backward()
    counts = np.stack([np.bincount(row, minlength=3) for row in drawn.asnumpy()])
    np.testing.assert_allclose(weights.grad.asnumpy(), 2 * counts / weights.asnumpy(), rtol=1e-6)


def test_the_gradient_of_indices_alone_is_zero():
    weights = nd.array([0.5, 0.5])
    weights.attach_grad()
    with autograd.record():
        drawn = nd.sample_multinomial(weights)
    drawn.backward()
    assert weights.grad.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize(("shape", "drawn"), [((0, 3), (0, 2)), ((0, 0), (0, 2))])
def test_no_rows_draw_nothing(shape, drawn):
    assert nd.sample_multinomial(nd.zeros(shape), shape=(2,)).shape == drawn


@pytest.mark.parametrize("p", [0.0, 1.5, float("nan")])
def test_invalid_probabilities_are_rejected(p):
    with pytest.raises(AttributeValueError, match=r"negative_binomial: p is .*at most 1"):
        nd.random.negative_binomial(1, p, shape=2)
    if p == p:
        with pytest.raises(AttributeValueError, match=r"negative_binomial: p is .*at most 1"):
            nd.random.negative_binomial(nd.array([1]), nd.array([p]))


@pytest.mark.parametrize("name", DRAWS)
def test_each_row_has_its_own_distribution(name):
    parameters, mean, variance = DRAWS[name]
    others = [nd.array([value, value, float("nan")], dtype="float64") for value in parameters]
    others[0][0] = parameters[0] / 2
    x = operator(f"_sample_{name}")(*others, shape=(20_000,), dtype="float64").asnumpy()
    assert_moments(x[1], mean, variance)
    assert abs(x[0].mean() - mean) > 5 * np.sqrt(variance / 20_000)
    assert np.isnan(x[2]).all()


def test_limits_of_parameters():
    zero, one = nd.array([0.0]), nd.array([1.0])
    assert nd.random.gamma(one, zero, shape=3).asnumpy().tolist() == [[0, 0, 0]]
    assert nd.random.gamma(zero, one, shape=3).asnumpy().tolist() == [[0, 0, 0]]
    assert nd.random.gamma(2, 0, shape=3).asnumpy().tolist() == [0, 0, 0]
    assert nd.random.poisson(zero, shape=2).asnumpy().tolist() == [[0, 0]]
    assert nd.random.normal(one, zero, shape=2).asnumpy().tolist() == [[1, 1]]
    assert nd.random.negative_binomial(one, one, shape=2).asnumpy().tolist() == [[0, 0]]
    assert np.isinf(operator("_sample_exponential")(zero, shape=2).asnumpy()).all()
    counts = nd.random.generalized_negative_binomial(one * 4, zero, shape=20_000).asnumpy()
    assert_moments(counts, 4, 4)


def test_bounds_in_any_order():
    x = nd.random.uniform(nd.array([3.0]), nd.array([1.0]), shape=1000).asnumpy()
    assert x.min() > 1 and x.max() <= 3 and abs(x.mean() - 2) < 0.1


@pytest.mark.parametrize(
    ("name", "values", "match"),
    [
        ("gamma", (-1, 1), "alpha is -1.0, expected a finite value of 0 or more"),
        ("gamma", (1, float("inf")), "beta is inf, expected a finite value"),
        ("normal", (0, -1), "sigma is -1.0, expected a value of 0 or more"),
        ("poisson", (-2,), "lam is -2.0, expected a finite value"),
        ("exponential", (-2,), "lam is -2.0, expected a finite value"),
        ("generalized_negative_binomial", (1, -1), "alpha is -1.0, expected a finite value"),
    ],
)
def test_invalid_parameters_in_arrays_are_rejected(name, values, match):
    arrays = [nd.array([1, value]) for value in values]
    with pytest.raises(AttributeValueError, match=match):
        operator(f"_sample_{name}")(*arrays)


@pytest.mark.parametrize("row", [[0, 0], [-1, 2], [float("nan"), 1], [float("inf"), 1]])
def test_invalid_weights_are_rejected(row):
    for call in (nd.sample_multinomial, nd.random.multinomial):
        with pytest.raises(AttributeValueError, match=r"row 1 of 'data' is \[.*one above 0"):
            call(nd.array([[0, 1], row]))


def test_rows_without_indices_are_rejected():
    with pytest.raises(ShapeError, match="has no index to draw"):
        nd.sample_multinomial(nd.zeros((3, 0)))
    with pytest.raises(ShapeError, match="no index to draw"):
        nd.sample_multinomial(nd.zeros(()))


def test_empty_parameters_must_have_equal_shapes():
    with pytest.raises(ShapeError, match=r"shapes \(1, 0\), \(1, 1\), expected equal shapes"):
        nd.sample_uniform(nd.zeros((1, 0)), nd.ones((1, 1)))
    assert nd.sample_uniform(nd.zeros((1, 0)), nd.ones((1, 0))).shape == (1, 0)
