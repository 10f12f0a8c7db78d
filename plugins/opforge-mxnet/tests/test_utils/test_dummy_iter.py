import numpy as np

from opforge import io, test_utils


def test_the_first_batch_comes_again_and_again():
    real = io.NDArrayIter(np.arange(6).reshape(3, 2), np.arange(3), batch_size=1)
    dummy = test_utils.DummyIter(real)
    assert (dummy.batch_size, dummy.provide_data) == (1, real.provide_data)
    batches = [next(dummy) for _ in range(5)]
    assert all(batch.data[0].asnumpy().tolist() == [[0, 1]] for batch in batches)
    assert next(real).label[0].asnumpy().tolist() == [1]
