"""Translation of Correlation to ONNX."""

from typing import Any

import numpy as np

__all__ = ["correlation"]


def correlation(prop: Any, call: Any) -> Any:
    """Translate Correlation: products with each displaced image, and their means in patches."""
    pads = call.integers(*([0, 0] + [prop.pad_size] * 2) * 2)
    first, second = (call.node("Pad", x, pads) for x in call.inputs)
    center = _overlapping_part(prop, call, first, 0, 0)
    most = prop.max_displacement // prop.stride2
    shifts = [number * prop.stride2 for number in range(-most, most + 1)]
    found = []
    for down in shifts:
        for right in shifts:
            other = _overlapping_part(prop, call, second, down, right)
            both = call.node("Mul" if prop.is_multiply else "Sub", center, other)
            terms = both if prop.is_multiply else call.node("Abs", both)
            found.append(call.reduce("ReduceMean", terms, 1))
    window = {"kernel_shape": [prop.kernel_size] * 2, "strides": [prop.stride1] * 2}
    return call.node("AveragePool", call.node("Concat", *found, axis=1), **window)


def _overlapping_part(prop: Any, call: Any, image: Any, down: int, right: int) -> Any:
    """Return the part of an image that the patches cover after a displacement."""
    reach, end = prop.max_displacement, np.iinfo(np.int64).max
    starts = [reach + shift for shift in (down, right)]
    ends = [shift - reach or end for shift in (down, right)]
    return call.node("Slice", image, *(call.integers(*x) for x in (starts, ends, (2, 3))))
