"""An iterator derived from MXNet's, over the program's own pool."""

import pickle
from multiprocessing.pool import ThreadPool

import pytest

from opforge.gluon.data.dataloader import _MultiWorkerIter, default_mp_batchify_fn


def load(indices, batchify_fn, dataset):
    batch = batchify_fn([10 * i for i in indices]) if dataset is None else dataset[indices[0]]
    return pickle.dumps(batch) if dataset is None else batch


@pytest.mark.parametrize("prefetch", [0, 1, 9])
def test_batches_come_in_order(prefetch):
    batches = [[0, 1], [2, 3], [4]]
    with ThreadPool(2) as pool:
        made = _MultiWorkerIter(
            pool, default_mp_batchify_fn, batches, worker_fn=load, prefetch=prefetch
        )
        assert len(made) == 3
        assert [batch.asnumpy().tolist() for batch in made] == [[0, 10], [20, 30], [40]]
        assert next(made, None) is None


def test_threads_return_the_batches_themselves():
    with ThreadPool(1) as pool:
        made = _MultiWorkerIter(pool, None, [[1], [0]], worker_fn=load, dataset=["a", "b"])
        assert list(made) == ["b", "a"]


def test_an_error_of_a_worker_is_raised():
    with ThreadPool(1) as pool:
        made = _MultiWorkerIter(pool, None, [[7]], worker_fn=load, dataset=["a"])
        with pytest.raises(IndexError):
            next(made)


def test_worker_fn_is_required():
    with pytest.raises(TypeError, match="worker_fn"):
        _MultiWorkerIter(None, None, [[0]])
