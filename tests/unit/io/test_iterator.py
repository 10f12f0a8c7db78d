import pytest

from opforge import io, nd
from opforge.base.errors import OpforgeError
from opforge.io.iterator import BatchIter


class Countdown(io.DataIter):
    def __init__(self, count):
        super().__init__(batch_size=1)
        self.left = self.count = count

    def reset(self):
        self.left = self.count

    def iter_next(self):
        self.left -= 1
        return self.left >= 0

    def getdata(self):
        return [nd.array([self.left])]

    def getpad(self):
        return 0


def test_steps_make_batches():
    numbers = Countdown(3)
    assert [batch.data[0].asscalar() for batch in numbers] == [2, 1, 0]
    with pytest.raises(StopIteration):
        numbers.next()
    numbers.reset()
    batch = next(numbers)
    assert (batch.label, batch.pad, batch.index) == (None, 0, None)


def test_missing_methods_are_named():
    class Nothing(io.DataIter):
        pass

    with pytest.raises(NotImplementedError, match=r"Nothing must define iter_next\(\) or next\(\)"):
        Nothing().next()
    with pytest.raises(NotImplementedError, match="Nothing must define getdata"):
        Nothing().getdata()


def test_whole_batches_are_shown_by_the_getters():
    class Once(BatchIter):
        def iter_next(self):
            done = self.current_batch is not None
            self.current_batch = io.DataBatch([nd.ones((1,))], [nd.zeros((1,))], 3, [4])
            return not done

    once = Once()
    with pytest.raises(OpforgeError, match="no current batch"):
        once.getdata()
    batch = once.next()
    assert once.getdata() is batch.data and once.getlabel() is batch.label
    assert (once.getpad(), once.getindex()) == (3, [4])
    assert list(once) == []
