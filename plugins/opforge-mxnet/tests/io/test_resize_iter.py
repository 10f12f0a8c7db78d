import numpy as np
import pytest

from opforge import io


def inner():
    return io.NDArrayIter(np.arange(5.0), np.arange(5.0), 2)


def first_values(batches):
    return [batch.data[0].asnumpy()[0].item() for batch in batches]


def test_more_batches_than_there_are():
    batches = io.ResizeIter(inner(), 4)
    assert batches.provide_data == [("data", (2,))] and batches.batch_size == 2
    assert first_values(batches) == [0, 2, 4, 0]
    batches.reset()
    assert first_values(batches) == [0, 2, 4, 0]


def test_fewer_batches_and_an_epoch_that_goes_on():
    batches = io.ResizeIter(inner(), 2, reset_internal=False)
    assert first_values(batches) == [0, 2]
    batches.reset()
    assert first_values(batches) == [4, 0]


def test_batches_come_as_they_are():
    source = inner()
    source.default_bucket_key = 8
    source.next = lambda: io.DataBatch([], bucket_key=3)
    batches = io.ResizeIter(source, 1)
    assert batches.next().bucket_key == 3
    assert batches.default_bucket_key == 8
    with pytest.raises(StopIteration):
        batches.next()
