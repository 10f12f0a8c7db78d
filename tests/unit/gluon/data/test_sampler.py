import numpy as np
import pytest

from opforge.gluon.data import (
    BatchSampler,
    FilterSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)


def test_a_sampler_must_define_its_iteration():
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(Sampler())
    with pytest.raises(NotImplementedError, match="__len__"):
        len(Sampler())


def test_sequential():
    assert list(SequentialSampler(3, start=2)) == [2, 3, 4]
    assert len(SequentialSampler(3, start=2)) == 3


def test_random_is_a_permutation_that_numpys_seed_repeats():
    sampler = RandomSampler(100)
    np.random.seed(7)
    first, second = list(sampler), list(sampler)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(100))
    np.random.seed(7)
    assert list(sampler) == first
    assert type(first[0]) is int


def test_filter():
    sampler = FilterSampler(lambda x: x > 1, [0, 3, 1, 2])
    assert list(sampler) == [1, 3]
    assert len(sampler) == 2


@pytest.mark.parametrize(
    ("last_batch", "expected"),
    [("keep", [[0, 1, 2], [3, 4, 5], [6]]), ("discard", [[0, 1, 2], [3, 4, 5]])],
)
def test_batches(last_batch, expected):
    sampler = BatchSampler(SequentialSampler(7), 3, last_batch)
    assert list(sampler) == list(sampler) == expected
    assert len(sampler) == len(expected)


def test_rollover_puts_the_rest_in_front_of_the_next_iteration():
    sampler = BatchSampler(SequentialSampler(5), 3, "rollover")
    seen = []
    for _ in range(3):
        length = len(sampler)
        batches = list(sampler)
        assert len(batches) == length
        seen.append(batches)
    assert seen == [[[0, 1, 2]], [[3, 4, 0], [1, 2, 3]], [[4, 0, 1], [2, 3, 4]]]


def test_wrong_arguments():
    with pytest.raises(ValueError, match="'rollover', but got last"):
        BatchSampler(SequentialSampler(2), 1, "last")
    with pytest.raises(ValueError, match="at least 1, got 0"):
        BatchSampler(SequentialSampler(2), 0)


def test_a_shuffled_sampler_has_a_length():
    assert len(RandomSampler(5)) == 5
    assert sorted(RandomSampler(5)) == [0, 1, 2, 3, 4]
