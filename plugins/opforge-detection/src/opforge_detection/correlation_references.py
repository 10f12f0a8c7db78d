"""NumPy reference of Correlation."""

from typing import Any

import numpy as np


def correlation(data1: Any, data2: Any, **attributes: Any) -> Any:
    """Return the result of Correlation."""
    kernel, reach = attributes.get("kernel_size", 1), attributes.get("max_displacement", 1)
    stride, step = attributes.get("stride1", 1), attributes.get("stride2", 1)
    padding = ((0, 0), (0, 0), *[(attributes.get("pad_size", 0),) * 2] * 2)
    first, second = np.pad(data1, padding), np.pad(data2, padding)
    ends = [length - kernel - reach + 1 for length in first.shape[2:]]
    rows, columns = (np.arange(reach, end, stride) for end in ends)
    shifts = np.arange(-(reach // step), reach // step + 1) * step
    out = np.zeros((len(data1), len(shifts) ** 2, len(rows), len(columns)))
    for channel, (down, right) in enumerate((y, x) for y in shifts for x in shifts):
        for y, x in np.ndindex(kernel, kernel):
            a = first[:, :, rows + y][..., columns + x]
            b = second[:, :, rows + y + down][..., columns + x + right]
            out[:, channel] += (a * b if attributes.get("is_multiply", True) else abs(a - b)).sum(1)
    return out / (kernel * kernel * data1.shape[1])
