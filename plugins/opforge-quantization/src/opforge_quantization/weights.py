"""Weights as integers of 8 or 4 bits."""

import numpy as np

from .operators.base import LEVELS
from .operators.dynamic_dense import BLOCK, ZERO_OF_4_BITS, stored_length

__all__ = ["dequantize_weight", "quantize_filters", "quantize_weight"]


def quantize_filters(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the integers of filters, rounded as `_int8_filters` does, and their scales.

    Parameters
    ----------
    weight : ndarray, shape (filters, ...), float32

    Returns
    -------
    ndarray, shape (filters, ...), int8
    ndarray, shape (filters,), float32
        Real number of an integer 1 of each filter.
    """
    levels = np.float32(LEVELS["int8"])
    largest = np.abs(weight).reshape(len(weight), -1).max(axis=1, initial=0)
    factors = levels / np.where(largest > 0, largest, levels)
    shaped = factors.reshape(-1, *[1] * (weight.ndim - 1))
    integers = np.clip(np.rint(weight * shaped), -128, 127).astype(np.int8)
    return integers, 1 / factors


def quantize_weight(
    weight: np.ndarray, bits: int = 8, group_size: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the integers of a weight, as `_dynamic_dense` needs them, and their scales.

    With 8 bits, the largest magnitude of a group becomes 127. With 4 bits it becomes -8 and the
    scale has the opposite sign of that element, so that all 16 integers are used.

    Parameters
    ----------
    weight : ndarray, shape (units, in_units), float32
    bits : {8, 4}
    group_size : int
        Elements of a row with a common scale; 0: all.

    Returns
    -------
    ndarray, shape (units, in_units), int8; or (units, in_units / 2, rounded up), uint8
    ndarray, shape (units, groups), float32

    Examples
    --------
    >>> integers, scales = quantize_weight(np.array([[1.0, -2.54]], "float32"))
    >>> integers.tolist(), scales.round(3).tolist()
    ([[50, -127]], [[0.02]])
    """
    units, length = weight.shape
    size = group_size or max(length, 1)
    groups = -(-length // size)
    padded = np.zeros((units, groups * size), np.float32)
    padded[:, :length] = weight
    grouped = padded.reshape(units, groups, size)
    at = np.abs(grouped).argmax(axis=-1, keepdims=True)
    extreme = np.take_along_axis(grouped, at, axis=-1)
    scale = np.abs(extreme) / np.float32(127) if bits == 8 else extreme / np.float32(-8)
    scale = np.where(np.isfinite(1 / np.where(scale, scale, 1)) & (scale != 0), scale, 1)
    integers = np.rint(grouped / scale).reshape(units, -1)[:, :length]
    scales = scale.reshape(units, groups).astype(np.float32)
    if bits == 8:
        return integers.astype(np.int8), scales
    return _pack_halves(np.clip(integers, -8, 7)), scales


def _pack_halves(integers: np.ndarray) -> np.ndarray:
    """Store two numbers of 4 bits in each byte."""
    units, length = integers.shape
    blocks = -(-length // BLOCK)
    stored = np.full((units, blocks * BLOCK), ZERO_OF_4_BITS, np.uint8)
    stored[:, :length] = (integers + ZERO_OF_4_BITS).astype(np.uint8)
    halves = stored.reshape(units, blocks, 2, BLOCK // 2)
    return (halves[:, :, 0] | halves[:, :, 1] << 4).reshape(units, stored_length(length, 4))


def dequantize_weight(
    integers: np.ndarray, scales: np.ndarray, length: int, group_size: int = 0
) -> np.ndarray:
    """Return the real numbers of a quantized weight, (units, length).

    Examples
    --------
    >>> integers, scales = quantize_weight(np.array([[1.0, -2, 0.25]], "float32"), bits=4)
    >>> dequantize_weight(integers, scales, 3).tolist()
    [[1.0, -2.0, 0.25]]
    """
    if integers.dtype == np.uint8:
        blocks = integers.reshape(len(integers), -1, 1, BLOCK // 2)
        both = np.concatenate([blocks & 15, blocks >> 4], axis=2)
        integers = both.reshape(len(integers), -1)[:, :length].astype(np.int8) - ZERO_OF_4_BITS
    repeats = group_size or max(length, 1)
    return integers * np.repeat(scales, repeats, axis=1)[:, :length]
