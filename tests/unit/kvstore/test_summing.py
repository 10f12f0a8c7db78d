from opforge import cpu, nd
from opforge.kvstore.summing import averaged, summed


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
