"""Deformable convolutions of all sizes: agreement with references, hostile offsets, no leaks.

``--stress 100`` makes 10,000 calls of each operator.
"""

from pathlib import Path

import numpy as np
import pytest
from opforge_convolution.references import deformed

from opforge import autograd, nd

CALLS = 100
PLAIN = "plain"
#: Values of a tenth of the offsets, in addition to those far outside the image.
KINDS = (1e30, -1e9, np.nan, np.inf, -np.inf)
OPERATORS = {
    "DeformableConvolution": False,
    "ModulatedDeformableConvolution": True,
}
#: More than the memory pool retains of arrays of these sizes.
GROWTH = 32 << 20


def attributes_of(rng):
    """Return a window and groups with few channels, so that thousands of calls are fast."""
    groups = int(rng.integers(1, 3))
    return {
        "kernel": tuple(map(int, rng.integers(1, 4, 2))),
        "stride": tuple(map(int, rng.integers(1, 3, 2))),
        "dilate": tuple(map(int, rng.integers(1, 3, 2))),
        "pad": tuple(map(int, rng.integers(0, 3, 2))),
        "num_filter": groups * int(rng.integers(1, 6)),
        "num_group": groups,
        "num_deformable_group": int(rng.integers(1, 3)),
    }


def out_size(size, kernel, stride, dilate, pad):
    return (size + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1


def draw_call(number, modulated):
    """Return the inputs and attributes of a call; widths 1 to 40 cover all remainders."""
    rng = np.random.default_rng(number)
    sizes = attributes_of(rng)
    windows = list(zip(*(sizes[k] for k in ("kernel", "stride", "dilate", "pad")), strict=True))
    least = [max(1, d * (k - 1) + 1 - 2 * p) for k, _, d, p in windows]
    shape = least[0] + int(rng.integers(6)), least[1] + number // 2 % 40
    out = [out_size(size, *window) for size, window in zip(shape, windows, strict=True)]
    moved, taps = sizes["num_deformable_group"], int(np.prod(sizes["kernel"]))
    channels = 2 * int(rng.integers(1, 4))
    n = int(rng.integers(1, 3))
    offset = rng.normal(0, 2, (n, 2 * moved * taps, *out))
    if number % 2:
        kind = KINDS[number // 2 % len(KINDS)]
        offset = np.where(rng.random(offset.shape) < 0.1, kind, offset)
    mask = [rng.random((n, moved * taps, *out))] if modulated else []
    weight = rng.standard_normal(
        (sizes["num_filter"], channels // sizes["num_group"], *sizes["kernel"])
    )
    bias = rng.standard_normal(sizes["num_filter"])
    return [rng.standard_normal((n, channels, *shape)), offset, *mask, weight, bias], sizes


def call(name, given, sizes):
    """Run forward and backward; return the output."""
    arrays = [nd.array(value, dtype="float64") for value in given]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out = getattr(nd.contrib, name)(*arrays, **sizes)
    out.backward()
    for array in arrays:
        array.grad.wait_to_read()
    return out.asnumpy()


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize(("name", "modulated"), OPERATORS.items())
def test_varied_calls(name, modulated, stress):
    calls, middle = CALLS * stress, 0
    for number in range(calls):
        if number == calls // 2:
            middle = resident()
        given, sizes = draw_call(number, modulated)
        found = call(name, given, sizes)
        if number % 2 == 0 and number < 1000:
            fields = given[:-2] if modulated else [*given[:-2], None]
            wanted = deformed(*fields, *given[-2:], **sizes)
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8, err_msg=f"{sizes}")
    assert stress == 1 or resident() - middle < GROWTH
