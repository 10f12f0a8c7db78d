"""Attributes and arrays of the tests of Convolution and Deconvolution."""

from itertools import product

import numpy as np

TOLERANCES = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-11}
LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def arrays(
    lengths, kernel, filters, groups=1, n=2, channels=4, layout="NCHW", *, is_transposed=False
):
    """Return data, weight and bias in float64."""
    rng = np.random.default_rng(0)
    data = rng.standard_normal((n, channels, *lengths))
    outer, inner = (channels, filters) if is_transposed else (filters, channels)
    weight = rng.standard_normal((outer, inner // groups, *kernel))
    if layout.endswith("C"):
        data, weight = (np.moveaxis(x, 1, -1) for x in (data, weight))
    return data, weight, rng.standard_normal(filters)


def grid(lengths, kernel, *, is_transposed=False):
    """Yield the arrays, attributes, stride, dilation and padding of cases; pads are not set."""
    dims = len(kernel)
    values = (1, 2, 4), (1, 2), (1, 2), (0, 1), LAYOUTS[dims]
    for groups, stride, dilate, pad, layout in product(*values):
        given = arrays(lengths, kernel, 8, groups, layout=layout, is_transposed=is_transposed)
        attributes = {
            "kernel": kernel,
            "num_filter": 8,
            "num_group": groups,
            "stride": (stride,) * dims,
            "dilate": (dilate,) * dims,
            "layout": layout,
        }
        yield given, attributes, stride, dilate, pad
