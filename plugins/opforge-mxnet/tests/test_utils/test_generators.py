import numpy as np
import pytest

from opforge import test_utils

pytest.importorskip("scipy.stats")

BUCKETS, PROBS = test_utils.gen_buckets_probs_with_ppf(lambda p: p, 5)


def uniform(n):
    return np.random.uniform(size=n)


def test_moments():
    assert test_utils.mean_check(uniform, 0.5, 12**-0.5, 10_000)
    assert not test_utils.mean_check(uniform, 0.6, 12**-0.5, 10_000)
    normal = np.random.standard_normal
    assert test_utils.var_check(normal, 1.0, 10_000)
    assert not test_utils.var_check(normal, 1.1, 10_000)


def test_right_distributions_pass():
    p, observed, expected = test_utils.chi_square_check(uniform, BUCKETS, PROBS, 10_000)
    assert p > 1e-4
    assert observed.sum() == expected.sum() == 10_000
    values = test_utils.verify_generator(uniform, BUCKETS, PROBS, 10_000)
    assert len(values) == 5
    coins = np.random.default_rng(0).integers
    test_utils.verify_generator(lambda n: coins(2, size=n), [0, 1], [0.5, 0.5], 10_000)


def test_the_p_value_is_pearsons():
    samples = np.array([0] * 40 + [1] * 60)
    p, observed, _ = test_utils.chi_square_check(lambda n: samples, [0, 1], [0.5, 0.5], 100)
    assert p == pytest.approx(0.04550026)
    assert observed.tolist() == [40, 60]


@pytest.mark.parametrize(
    "wrong", [lambda n: uniform(n) ** 1.2, lambda n: uniform(n) - 2, lambda n: uniform(n) + 9]
)
def test_wrong_distributions_fail(wrong):
    with pytest.raises(AssertionError, match="0 of 5 chi-squared tests"):
        test_utils.verify_generator(wrong, BUCKETS, PROBS, 10_000)


def test_bad_buckets():
    with pytest.raises(AssertionError, match="in order"):
        test_utils.chi_square_check(uniform, [(0, 0.6), (0.5, 1)], [0.5, 0.5], 10)
    with pytest.raises(AssertionError, match="1 probabilities for 5 buckets"):
        test_utils.chi_square_check(uniform, BUCKETS, [1.0], 10)
