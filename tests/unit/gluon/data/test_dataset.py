import numpy as np
import pytest

from opforge import gluon, nd
from opforge.base.errors import ShapeError
from opforge.gluon.data import (
    ArrayDataset,
    Dataset,
    RandomSampler,
    SequentialSampler,
    SimpleDataset,
)
from opforge.gluon.data.batchify import default_batchify_fn
from opforge.gluon.data.dataset import gather

TEN = SimpleDataset(list(range(10)))


def test_a_dataset_must_define_its_access():
    with pytest.raises(NotImplementedError, match="__getitem__"):
        Dataset()[0]
    with pytest.raises(NotImplementedError, match="__len__"):
        len(Dataset())


def test_array_dataset_samples():
    pairs = ArrayDataset(nd.array([[1, 2], [3, 4]]), [5, 6])
    data, label = pairs[1]
    assert data.asnumpy().tolist() == [3, 4]
    assert label == 6
    assert len(pairs) == 2
    assert ArrayDataset(["a", "b"])[0] == "a"


def test_a_vector_of_labels_reads_as_numpy_scalars():
    label = ArrayDataset(nd.array([1, 2, 3], dtype="int32"))[2]
    assert isinstance(label, np.int32)
    assert label == 3


def test_array_dataset_rejects_differing_lengths():
    with pytest.raises(ShapeError, match=r"\[2, 1\]"):
        ArrayDataset([1, 2], [3])
    with pytest.raises(ShapeError, match="at least 1"):
        ArrayDataset()


def test_transform_spreads_tuples_and_may_be_eager():
    calls = []
    pairs = SimpleDataset([(1, 2), (3, 4)])
    lazy = pairs.transform(lambda a, b: calls.append(a) or a * b)
    assert calls == []
    assert list(lazy) == [2, 12]
    eager = pairs.transform(lambda a, b: calls.append(a) or a + b, lazy=False)
    assert calls == [1, 3, 1, 3]
    assert [eager[0], eager[1]] == [3, 7]


def test_transform_first_keeps_the_rest():
    assert SimpleDataset([(1, 2, 3)]).transform_first(str)[0] == ("1", 2, 3)
    assert SimpleDataset([1]).transform_first(str)[0] == "1"


def test_filter_take_and_sample():
    assert list(TEN.filter(lambda n: n % 3 == 0)) == [0, 3, 6, 9]
    assert list(TEN.take(3)) == [0, 1, 2]
    assert len(TEN.take(99)) == len(TEN.take(None)) == 10
    assert list(TEN.sample(SequentialSampler(2, start=4))) == [4, 5]
    assert sorted(TEN.sample(RandomSampler(10))) == list(range(10))
    with pytest.raises(TypeError, match="list"):
        TEN.sample([1, 2])


@pytest.mark.parametrize("num_shards", [1, 3, 4, 10, 12])
def test_shards_cover_everything_once_and_evenly(num_shards):
    shards = [list(TEN.shard(num_shards, i)) for i in range(num_shards)]
    assert [sample for shard in shards for sample in shard] == list(range(10))
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


@pytest.mark.parametrize(("num_shards", "index"), [(3, 3), (3, -1), (0, 0)])
def test_shard_rejects_an_invalid_index(num_shards, index):
    with pytest.raises(ValueError, match="shard"):
        TEN.shard(num_shards, index)


@pytest.mark.parametrize(
    "dataset",
    [
        ArrayDataset(np.arange(12.0).reshape(6, 2)),
        ArrayDataset(nd.arange(12).reshape((6, 2)), np.arange(6, dtype=np.int32)),
        ArrayDataset(nd.arange(6), np.arange(6) > 2),
    ],
)
def test_gather_equals_batching_the_samples(dataset):
    indices = [4, 0, 5, 4]
    for view in (dataset, dataset.take(6), dataset.shard(1, 0)):
        quick = gather(view, indices)
        slow = default_batchify_fn([view[i] for i in indices])
        for a, b in zip(_as_list(quick), _as_list(slow), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
        assert isinstance(quick, list) == isinstance(slow, list)


def test_gather_leaves_unknown_types_unchanged():
    class Doubled(ArrayDataset):
        def __getitem__(self, idx):
            return super().__getitem__(idx) * 2

    numbers = np.arange(3.0)
    assert gather(Doubled(numbers), [1]) is None
    assert gather(ArrayDataset(numbers).transform(abs), [1]) is None
    assert gather(ArrayDataset([1, 2, 3]), [1]) is None
    assert gather([1, 2, 3], [1]) is None


def _as_list(batch):
    return batch if isinstance(batch, list) else [batch]


@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [([7, 3], [7, 3]), ([0.7, 0.3], [7, 3]), ([1 / 3] * 3, [4, 3, 3]), ([10], [10]), ([1.0], [10])],
)
def test_random_parts_have_every_sample_once(lengths, sizes):
    data = gluon.data.SimpleDataset(list(range(10)))
    parts = gluon.data.random_split(data, lengths)
    assert [len(part) for part in parts] == sizes
    assert sorted(sample for part in parts for sample in part) == list(range(10))
    np.random.seed(3)
    first = [list(part) for part in gluon.data.random_split(data, lengths)]
    np.random.seed(3)
    assert [list(part) for part in gluon.data.random_split(data, lengths)] == first
    assert first[0] != sorted(first[0])


@pytest.mark.parametrize("lengths", [[5, 4], [0.5, 0.4], [-1, 11], []])
def test_parts_that_do_not_add_up(lengths):
    with pytest.raises(ValueError, match=r"random_split: lengths \["):
        gluon.data.random_split(gluon.data.SimpleDataset(list(range(10))), lengths)


def test_data_frames_are_read_by_position():
    class Frame:
        """What is used of a pandas.DataFrame whose index starts at 1."""

        iloc = None

        def __init__(self, rows):
            self._rows = np.array(rows)

        def __len__(self):
            return len(self._rows)

        def to_numpy(self):
            return self._rows

        def __getitem__(self, label):
            return self._rows[label - 1]

    found = ArrayDataset(Frame([[1, 2], [3, 4]]), Frame([5, 6]))
    assert [(x.tolist(), y) for x, y in found] == [([1, 2], 5), ([3, 4], 6)]
