import numpy as np
import pytest
from opforge_mxnet.io.row_batches import RowBatches

from opforge import nd


class Numbers(RowBatches):
    """Batches of the numbers below a limit."""

    def __init__(self, limit, **settings):
        super().__init__(**settings)
        self._limit = limit

    def _count(self):
        return self._limit

    def _batch_at(self, rows):
        return nd.array(rows), nd.array(-rows)


@pytest.mark.parametrize(
    ("limit", "is_round", "epochs"),
    [
        (4, True, [[[0, 1], [2, 3]], [[0, 1], [2, 3]]]),
        (3, True, [[[0, 1], [2, 0]], [[1, 2]]]),
        (3, False, [[[0, 1], [2, 1]], [[0, 1], [2, 1]]]),
        (1, True, [[[0, 0]], [[0, 0]]]),
    ],
)
def test_last_batches(limit, is_round, epochs):
    batches = Numbers(limit, batch_size=2, round_batch=is_round)
    for wanted in epochs:
        found = [batch.data[0].asnumpy().tolist() for batch in batches]
        assert found == wanted
        batches.reset()


def test_one_array_each():
    batches = Numbers(5, batch_size=2, round_batch=True)
    batches.next()
    assert batches.getdata().asnumpy().tolist() == [0, 1]
    assert batches.getlabel().asnumpy().tolist() == [0, -1]
    assert batches.getpad() == 0 and np.array_equal(batches.getindex(), [0, 1])


def test_subclasses_must_define_abstract_methods():
    plain = RowBatches(1, True)
    with pytest.raises(NotImplementedError, match=r"_count\(\)"):
        plain.next()
    with pytest.raises(NotImplementedError, match=r"_batch_at\(\)"):
        plain._batch_at(np.zeros(1))
    with pytest.raises(ValueError, match="RowBatches: got batch_size=0"):
        RowBatches(0, True)
