import pytest

import opforge as mx
from opforge import executor_manager as manager
from opforge import nd, sym


@pytest.mark.parametrize(
    ("size", "shares", "ends"),
    [(10, [1, 1], [5, 10]), (10, [1, 1, 1], [3, 6, 10]), (7, [1, 3], [2, 7]), (3, [2.5], [3])],
)
def test_a_batch_is_divided(size, shares, ends):
    begins = [0, *ends[:-1]]
    expected = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
    assert manager._split_input_slice(size, shares) == expected


def test_a_device_without_samples():
    with pytest.raises(ValueError, match=r"Too many slices.*device 2 of 3"):
        manager._split_input_slice(2, [1, 1, 1])


def test_two_arguments_of_one_name():
    manager._check_arguments(sym.var("x") + sym.var("y"))
    with pytest.raises(ValueError, match="duplicated argument name 'x'"):
        manager._check_arguments(sym.var("x") + sym.var("x"))


def test_batches_are_copied_to_the_devices():
    batch = mx.io.DataBatch([nd.array([[1], [2], [3]])], [nd.array([4, 5, 6])])
    parts = [(slice(0, 2), nd.zeros((2, 1))), (slice(2, 3), nd.zeros((1, 1), ctx=mx.cpu(1)))]
    manager._load_data(batch, [parts])
    assert [array.asnumpy().tolist() for _, array in parts] == [[[1], [2]], [[3]]]
    whole = nd.zeros((3,))
    manager._load_label(batch, [whole])
    assert whole.asnumpy().tolist() == [4, 5, 6]
    with pytest.raises(AssertionError, match="3 samples, its parts have 2"):
        manager._load_data(batch, [parts[:1]])
