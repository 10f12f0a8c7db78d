import numpy as np
import pytest

from opforge import io, nd
from opforge.base.errors import ShapeError


def epoch(batches):
    """Return values and padding of each batch, then reset."""
    found = [
        ([a.asnumpy().tolist() for a in batch.data + batch.label], batch.pad) for batch in batches
    ]
    batches.reset()
    return found


def numbers(count=5, batch_size=2, **kwargs):
    values = np.arange(float(count))
    return io.NDArrayIter(values, values * 10, batch_size, **kwargs)


# What MXNet 1.9.1 gives.
PAD = [([[0, 1], [0, 10]], 0), ([[2, 3], [20, 30]], 0), ([[4, 0], [40, 0]], 1)]


def test_pad_wraps_around():
    batches = numbers()
    assert epoch(batches) == PAD
    assert epoch(batches) == PAD


def test_pad_wraps_around_more_than_once():
    ((values, pad),) = epoch(io.NDArrayIter(np.arange(2.0), batch_size=5))
    assert (values, pad) == ([[0, 1, 0, 1, 0]], 3)


def test_discard_leaves_out():
    batches = numbers(last_batch_handle="discard")
    assert epoch(batches) == PAD[:2]
    assert epoch(batches) == PAD[:2]
    assert epoch(numbers(2, 5, last_batch_handle="discard")) == []


def test_roll_over_keeps_for_the_next_epoch():
    batches = numbers(last_batch_handle="roll_over")
    assert epoch(batches) == PAD[:2]
    assert epoch(batches) == [
        ([[4, 0], [40, 0]], 1),
        ([[1, 2], [10, 20]], 0),
        ([[3, 4], [30, 40]], 0),
    ]
    assert epoch(batches) == PAD[:2]
    batches.hard_reset()
    assert epoch(batches) == PAD[:2]


def test_roll_over_collects_until_a_batch_is_full():
    batches = io.NDArrayIter(np.arange(2.0), batch_size=5, last_batch_handle="roll_over")
    assert [epoch(batches) for _ in range(3)] == [[], [], [([[0, 1, 0, 1, 0]], 4)]]


def test_names_of_inputs():
    x = np.zeros((4, 3))
    single = io.NDArrayIter([x], (x,), 2, data_name="d", label_name="l")
    assert single.provide_data == [("d", (2, 3))] and single.provide_label == [("l", (2, 3))]
    several = io.NDArrayIter([x, x], [x, x], 2)
    assert [d.name for d in several.provide_data] == ["_0_data", "_1_data"]
    assert [d.name for d in several.provide_label] == ["_0_softmax_label", "_1_softmax_label"]
    named = io.NDArrayIter({"b": x, "a": x}, {"z": x}, 2)
    assert [d.name for d in named.provide_data + named.provide_label] == ["a", "b", "z"]
    assert io.NDArrayIter(x, batch_size=2).provide_label == []
    assert io.NDArrayIter(x, [], 2).provide_label == []


def test_types_of_inputs():
    batches = io.NDArrayIter(np.arange(4, dtype="int64"), nd.arange(4, dtype="int32"), 2)
    assert batches.provide_data[0].dtype is np.float32  # as nd.array makes of NumPy arrays
    assert batches.provide_label[0].dtype is np.int32
    batch = batches.next()
    assert (batch.data[0].dtype, batch.label[0].dtype) == (np.float32, np.int32)


def test_batches_do_not_share_memory_with_the_data():
    data = nd.zeros((4, 2))
    for batch in io.NDArrayIter(data, batch_size=2):
        batch.data[0][:] = 1
    assert data.asnumpy().sum() == 0


def test_another_axis():
    batches = io.NDArrayIter(np.arange(12.0).reshape(3, 4), batch_size=3, layout="TN")
    assert batches.provide_data == [("data", (3, 3))] and batches.num_data == 4
    first, second = batches
    np.testing.assert_array_equal(first.data[0].asnumpy()[0], [0, 1, 2])
    np.testing.assert_array_equal(second.data[0].asnumpy()[1], [7, 4, 5])


def test_shuffle_is_numpys_and_keeps_labels_with_data():
    np.random.seed(0)
    batches = numbers(shuffle=True)
    # The orders of MXNet 1.9.1 from this seed.
    assert [row[0][0] for row in epoch(batches)] == [[2, 0], [1, 3], [4, 2]]
    again = epoch(batches)
    assert [row[0][0] for row in again] == [[1, 0], [2, 4], [3, 1]]
    assert all(np.array_equal(np.multiply(x, 10), y) for (x, y), _ in again)


def test_shuffled_roll_over_keeps_the_samples_that_were_left():
    batches = numbers(shuffle=True, last_batch_handle="roll_over")
    seen = sorted(x for row in epoch(batches) for x in row[0][0])
    first, *_ = epoch(batches)
    assert {first[0][0][0]} == set(range(5)) - set(seen)


def test_invalid_arguments_raise():
    with pytest.raises(TypeError, match=r"data must be an NDArray.*got str"):
        io.NDArrayIter("abc")
    with pytest.raises(TypeError, match=r"a must be an NDArray or a numpy\.ndarray, got str"):
        io.NDArrayIter({"a": "x"})
    with pytest.raises(AssertionError, match="at least one array"):
        io.NDArrayIter([])
    with pytest.raises(
        ShapeError, match=r"axis 0 as 'data', got \{'data': 5, 'softmax_label': 3\}"
    ):
        io.NDArrayIter(np.zeros(5), np.zeros(3))
    with pytest.raises(ValueError, match=r"last_batch_handle='foo', expected one of pad, discard"):
        io.NDArrayIter(np.zeros(5), last_batch_handle="foo")
    with pytest.raises(ValueError, match="NDArrayIter: got batch_size=0, expected at least 1"):
        io.NDArrayIter(np.zeros(5), batch_size=0)


def test_getdata_raises_before_the_first_and_after_the_last_batch():
    batches = numbers(4)
    with pytest.raises(AssertionError, match="there is no current batch"):
        batches.getdata()
    assert len(list(batches)) == 2
    with pytest.raises(AssertionError, match=r"or reset\(\) after the last batch"):
        batches.getlabel()
    nothing = io.NDArrayIter(np.zeros((0, 3)), batch_size=2)
    assert list(nothing) == []


@pytest.mark.parametrize("last", ["pad", "discard", "roll_over"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_surplus_labels_are_unused(last, shuffle):
    numbers = np.arange(5)
    batches = io.NDArrayIter(
        numbers, np.arange(9) * 10, batch_size=2, shuffle=shuffle, last_batch_handle=last
    )
    seen = []
    for _ in range(2):
        for batch in batches:
            data = batch.data[0].asnumpy()
            assert batch.label[0].asnumpy().tolist() == (data * 10).tolist()
            seen.extend(data.tolist())
        batches.reset()
    assert set(seen) <= set(numbers.tolist()) and len(seen) >= 8


@pytest.mark.parametrize("handle", ["pad", "roll_over"])
def test_csr_matrices_are_not_padded(handle):
    rows = nd.array(np.eye(4, 2)).tostype("csr")
    for data, label in ((rows, None), (np.zeros((4, 2)), rows)):
        with pytest.raises(NotImplementedError, match=rf"'{handle}'. Pass last_batch_handle='disc"):
            io.NDArrayIter(data, label, 2, last_batch_handle=handle)


def test_batches_of_a_csr_matrix_are_csr_matrices():
    rows = nd.array(np.arange(10).reshape(5, 2) * [0, 1])
    dense, sparse = (
        io.NDArrayIter(one, None, 2, last_batch_handle="discard")
        for one in (rows, rows.tostype("csr"))
    )
    for _ in range(2):
        assert epoch(sparse) == epoch(dense)
    assert {batch.data[0].stype for batch in sparse} == {"csr"}


@pytest.mark.parametrize("handle", ["pad", "roll_over", "discard"])
def test_the_pad_is_0_before_the_first_batch(handle):
    batches = io.NDArrayIter(np.arange(5), batch_size=4, last_batch_handle=handle)
    for _ in range(3):
        assert batches.getpad() == 0
        list(batches)
        batches.reset()


def test_arrays_are_listed_and_can_be_written():
    source = io.NDArrayIter({"data": np.zeros((5, 2))}, {"label": np.zeros(5)}, batch_size=5)
    data, label = source.data_list
    label[:] = 1
    assert data.shape == (5, 2)
    assert source.next().label[0].asnumpy().tolist() == [1] * 5


def test_an_overridden_reset_decides_on_the_first_order():
    class Ordered(io.NDArrayIter):
        def reset(self):
            self.cursor = -self.batch_size

    assert Ordered(np.arange(99), batch_size=9, shuffle=True).idx.tolist() == [*range(99)]
