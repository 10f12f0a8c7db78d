import numpy as np
import pytest

from opforge import cpu, nd
from opforge.io import DataDesc
from opforge.module.dividing import described_part, groups_of_devices, joined, samples


@pytest.mark.parametrize(
    ("layout", "shape"), [("NCHW", (2, 4, 3)), ("TNC", (5, 2, 3)), ("TC", (5, 4, 3))]
)
def test_the_axis_of_the_samples_is_divided(layout, shape):
    whole = DataDesc("x", (5, 4, 3), "float16", layout)
    part = described_part(whole, slice(1, 3))
    assert part.shape == shape
    assert (part.name, part.dtype, part.layout) == (whole.name, whole.dtype, layout)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_join_inverts_split(axis):
    whole = nd.array(np.arange(4**3).reshape(4, 4, 4))
    parts = [samples(whole, axis, slice(0, 1)), samples(whole, axis, slice(1, 4))]
    assert [part.shape[axis] for part in parts] == [1, 3]
    parts[1] = parts[1].as_in_context(cpu(1))
    back = joined(parts, axis)
    assert back.context == cpu(0)
    np.testing.assert_array_equal(back.asnumpy(), whole.asnumpy())


def test_arrays_without_samples_stay_whole():
    whole = nd.ones((2, 2))
    assert samples(whole, -1, slice(0, 1)) is whole
    assert samples(whole, 0, slice(0, 2)) is whole
    assert joined([whole, nd.zeros((2, 2))], -1) is whole


def test_groups_may_be_given_in_three_ways():
    by_device = [{"a": cpu(1), "b": cpu(2)}, {"a": cpu(1), "b": cpu(3)}]
    assert groups_of_devices({"a": cpu(1), "b": [cpu(2), cpu(3)]}, 2) == by_device
    assert groups_of_devices(by_device, 2) == by_device
    assert groups_of_devices({"a": [cpu(1)]}, 2) == [{"a": cpu(1)}] * 2
    assert groups_of_devices(None, 2) == [{}, {}]
    for wrong in ({"a": [cpu(1)] * 3}, [{}] * 3):
        with pytest.raises(ValueError, match="has 3 entries, expected one for each of the 2"):
            groups_of_devices(wrong, 2)
