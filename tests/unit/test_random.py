"""`opforge.random` is the seed and the functions of `opforge.nd.random`."""

import pytest

import opforge as mx
from opforge import random
from opforge.ndarray import random as arrays


@pytest.mark.parametrize("name", random.__all__)
def test_names_are_those_of_nd(name):
    assert getattr(random, name) is getattr(arrays, name)


def test_a_seed_makes_results_repeatable():
    draws = []
    for seed in (3, 3, 4):
        mx.random.seed(seed)
        draws.append((random.uniform(shape=(5,)).asnumpy(), random.normal(shape=(5,)).asnumpy()))
    assert all((a == b).all() for a, b in zip(draws[0], draws[1], strict=True))
    assert not any((a == b).any() for a, b in zip(draws[0], draws[2], strict=True))
