import numpy as np
import pytest

from opforge import nd

SPECIAL = [0.5, 1.5, 2.5, -0.5, -1.5, np.nan, np.inf, -np.inf, 200, -200, 3e38]


@pytest.mark.parametrize(
    ("out_type", "expected"),
    [
        ("int8", [0, 2, 2, 0, -2, 127, 127, -128, 127, -128, 127]),
        ("uint8", [0, 2, 2, 0, 0, 0, 255, 0, 200, 0, 255]),
    ],
)
def test_ties_are_even_and_others_saturate(out_type, expected):
    """At each position of a vector, and in the rest of one."""
    limit = 127.5 if out_type == "int8" else 255.5
    for shift in range(40):
        data = np.concatenate([np.zeros(shift), SPECIAL]).astype("float32")
        calibrated = {"min_calib_range": 0.0, "max_calib_range": limit}
        found = nd.contrib.quantize_v2(nd.array(data), out_type=out_type, **calibrated)
        assert found[0].asnumpy()[shift:].tolist() == expected


def test_the_largest_magnitude_is_beyond_int8():
    found = nd.contrib.quantize_v2(nd.array([-3, 3, -1.5]))
    assert [x.asnumpy().tolist() for x in found] == [[-128, 127, -64], [-3.0], [3.0]]


def test_ranges_ignore_not_a_number():
    found = nd.contrib.quantize_v2(nd.array([np.nan, 1, -2, np.nan]))
    assert [x.asnumpy().tolist() for x in found] == [[127, 64, -128, 127], [-2.0], [2.0]]


@pytest.mark.parametrize("size", [1, 31, 32, 33, 100_000])
@pytest.mark.parametrize("at", [0, -1])
def test_ranges_of_long_arrays(size, at):
    data = np.zeros(size, "float32")
    data[at] = -7
    _, low, high = nd.contrib.quantize_v2(nd.array(data), out_type="uint8")
    assert (low.asnumpy().item(), high.asnumpy().item()) == (-7, 0 if size > 1 else -7)


def test_the_range_of_int32_is_positive():
    """MXNet's overflows to a negative one."""
    data = nd.array([2**31 - 1, -(2**31)], dtype="int32")
    _, low, high = nd.contrib.requantize(data, nd.array([-2]), nd.array([2]))
    assert (low.asnumpy().item(), high.asnumpy().item()) == (-2, 2)


def test_products_saturate():
    """MXNet's wrap around."""
    x, ranges = nd.array([127, -128, 127], dtype="int8"), [nd.array([-1]), nd.array([1])]
    y = nd.array([127, 127, 1], dtype="int8")
    options = {"min_calib_range": -0.5, "max_calib_range": 0.5}
    found = nd.contrib.quantized_elemwise_mul(x, y, *ranges, *ranges, **options)
    assert found[0].asnumpy().tolist() == [127, -128, 1]


def test_types_of_results():
    calibrated = {"min_calib_range": 0.0, "max_calib_range": 1.0}
    found = nd.contrib.quantize_v2(nd.ones((2,)), out_type="auto", **calibrated)
    assert found[0].dtype == np.uint8
    assert nd.contrib.quantize_v2(nd.ones((2,)), out_type="auto")[0].dtype == np.int8


def test_normalization_needs_a_range():
    arrays = [nd.ones((1,)) for _ in range(6)]
    with pytest.raises(ValueError, match="min_calib_range and max_calib_range are missing"):
        nd.contrib.quantized_batch_norm(nd.ones((2, 1), dtype="int8"), *arrays)


def test_the_number_of_concatenated_arrays():
    arrays = [nd.zeros((1, 2), dtype="int8")] * 2 + [nd.ones((1,))] * 4
    with pytest.raises(ValueError, match="got 6 inputs; expected 9: arg0, arg1, arg2"):
        nd.contrib.quantized_concat(*arrays, num_args=3)


def test_only_plain_cells_are_quantized():
    arrays = nd.zeros((2, 1, 1), dtype="uint8"), nd.zeros((16,)), *[nd.zeros((1, 1, 1))] * 2
    options = {"state_size": 1, "num_layers": 1, "mode": "lstm"}
    with pytest.raises(ValueError, match="use_sequence_length is True; only plain LSTM"):
        nd.contrib.quantized_rnn(
            *arrays, nd.ones((1,)), nd.ones((1,)), use_sequence_length=True, **options
        )
