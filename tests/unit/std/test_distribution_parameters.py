import pytest

from opforge import nd, sym
from opforge.base.errors import AttributeValueError


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("exponential", (0,), "scale is 0, expected a positive number"),
        ("exponential", (-1,), "scale must not be negative, got -1"),
        ("gamma", (1, -2), "beta must not be negative, got -2"),
        ("poisson", (-1,), "lam must not be negative"),
        ("negative_binomial", (-1, 0.5), "k must not be negative"),
        ("generalized_negative_binomial", (-1, 1), "mu must not be negative"),
        ("randint", (5, 3), "low 5 must be less than high 3"),
    ],
)
@pytest.mark.parametrize("namespace", [nd, sym], ids=["nd", "sym"])
def test_both_namespaces_reject_the_same_parameters(namespace, name, parameters, message):
    with pytest.raises(AttributeValueError, match=rf"random\.{name}: {message}"):
        getattr(namespace.random, name)(*parameters)


def test_arrays_are_checked_by_their_smallest_element():
    with pytest.raises(AttributeValueError, match=r"random\.gamma: alpha must not be .* got -2\.0"):
        nd.random.gamma(nd.array([1.0, -2.0]), nd.ones(2))
    with pytest.raises(AttributeValueError, match=r"random\.poisson: lam must not be .* got nan"):
        nd.random.poisson(float("nan"))
