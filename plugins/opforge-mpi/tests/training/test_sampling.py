"""Parts of a data set: equal lengths, and no sample lost or duplicated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opforge_mpi.training.metrics import metric_of_all
from opforge_mpi.training.sampling import SplitSampler, split_sampler

from opforge import metric, nd


@given(st.integers(0, 200), st.integers(1, 9), st.booleans(), st.booleans(), st.integers(0, 5))
def test_parts_are_the_order_of_one(length, parts, shuffle, even, epoch):
    [alone] = [SplitSampler(length, shuffle=shuffle, seed=4)]
    split = [SplitSampler(length, parts, part, shuffle, 4, even) for part in range(parts)]
    for one in (alone, *split):
        one.epoch = epoch
    order, shards = list(alone), [list(one) for one in split]
    assert sorted(order) == list(range(length))
    assert [len(shard) for shard in shards] == [len(one) for one in split]
    longest, used = len(shards[0]), length // parts * parts if even else length
    assert all(longest - len(shard) in ((0,) if even else (0, 1)) for shard in shards)
    steps = [shard[step] for step in range(longest) for shard in shards if step < len(shard)]
    assert steps == order[:used]


def test_each_epoch_has_its_own_reproducible_order():
    sampler = SplitSampler(100, 2, 1)
    first, second = list(sampler), list(sampler)
    assert first != second and sampler.epoch == 2
    sampler.epoch = 0
    assert list(sampler) == first
    assert list(SplitSampler(100, 2, 1, seed=1)) != first


def test_invalid_parts():
    with pytest.raises(ValueError, match="got part_index=2 with num_parts=2; expected 0 to 1"):
        SplitSampler(10, 2, 2)


_METRIC = """
both = mx.metric.CompositeEvalMetric([mx.metric.Accuracy(), mx.metric.Perplexity(None)])
every = mx.metric.CompositeEvalMetric([mx.metric.Accuracy(), mx.metric.Perplexity(None)])
part = mpi.split_sampler(31, even=False)
scores = nd.softmax(nd.array(np.random.RandomState(0).randn(31, 4)))
labels = nd.array(np.random.RandomState(1).randint(0, 4, 31))
every.update([labels], [scores])
mine = nd.array(list(part), dtype="int32")
both.update([labels.take(mine)], [scores.take(mine)])
before = both.get()
np.testing.assert_allclose(mpi.metric_of_all(both)[1], every.get()[1], rtol=1e-6)
assert both.get() == before != every.get()
say(found=mpi.metric_of_all(both))
"""


def test_metrics_over_ranks(ranks):
    first, second = ranks(2, _METRIC).said
    assert first == second and first["found"][0] == ["accuracy", "perplexity"]


def test_metrics_of_a_single_rank(libmpi):
    loss = metric.Loss()
    loss.update(None, [nd.array([1, 2])])
    assert metric_of_all(loss) == ("loss", 1.5)
    assert sorted(split_sampler(5)) == [0, 1, 2, 3, 4]
