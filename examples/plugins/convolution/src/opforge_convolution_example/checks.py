"""Reference and sample calls for `opforge check`, the only importer of this module."""

import numpy as np


def reference(data, weight, bias, kernel, num_filter, stride=1, pad=0):
    """Return the convolution, computed with NumPy."""
    padded = np.pad(data, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    rows, columns = kernel
    windows = np.lib.stride_tricks.sliding_window_view(padded, (rows, columns), (2, 3))
    windows = windows[:, :, ::stride, ::stride]
    return np.einsum("ncyxij,ocij->noyx", windows, weight) + bias[:, None, None]


def sample(n, c, size, kernel, filters, **attributes):
    """Return a sample call."""
    return {
        "inputs": [(n, c, *size), (filters, c, *kernel), (filters,)],
        "attributes": {"kernel": kernel, "num_filter": filters, **attributes},
    }


OPERATOR_CHECKS = {
    "convolve": {
        "reference": reference,
        "samples": [
            sample(1, 2, (5, 4), (3, 2), 3),
            sample(4, 1, (5, 5), (3, 3), 2, stride=2, pad=1),
        ],
    }
}
