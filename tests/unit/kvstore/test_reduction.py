import pytest

from opforge import cpu, nd
from opforge.base.dtypes import element_type
from opforge.kvstore.reduction import averaged, summed


def test_arrays_of_several_devices_are_added_on_one():
    arrays = [nd.array([1, 2], cpu(0)), nd.array([10, 20], cpu(1)), nd.array([4, 8], cpu(2))]
    total = summed(arrays, cpu(1))
    assert total.asnumpy().tolist() == [15, 30]
    assert total.context == cpu(1)
    assert arrays[0].asnumpy().tolist() == [1, 2]
    assert averaged(arrays, cpu(0)).asnumpy().tolist() == [5, 10]


def test_the_sum_of_one_is_itself_and_its_mean_a_copy():
    array = nd.ones((2,))
    assert summed([array], cpu()) is array
    mean = averaged([array], cpu())
    mean[:] = 0
    assert array.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats_are_added_in_float32(dtype):
    """In 16 bits each addition of 1 would be lost."""
    large = 2.0 ** element_type(dtype).precision
    arrays = [nd.array([value], ctx=cpu(at), dtype=dtype) for at, value in enumerate([large, 1, 1])]
    total = summed(arrays, cpu(0))
    assert total.dtype is arrays[0].dtype and total.tolist() == [large + 2]
