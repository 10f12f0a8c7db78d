"""DFT and STFT: products with matrices of cosines and sines."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .shapes import last_axis_to

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]
#: Since this opset the axis of DFT is an input.
_AXIS_IS_INPUT = 20


def _product(node: Node, x: Any, matrix: np.ndarray, label: str) -> Any:
    """Return the last axis multiplied by the rows of a matrix."""
    weight = sym._internal._cast_like(node.weight(matrix.astype(np.float32), label), x)
    return sym.FullyConnected(x, weight, num_hidden=len(matrix), no_bias=True, flatten=False)


def _transform(
    node: Node, parts: list[Any], sizes: tuple[int, int], inverse: bool, onesided: bool
) -> list[Any]:
    """Return the real and the imaginary part of the transform of the last axis.

    Parameters
    ----------
    parts : list of Symbol
        Real part, and imaginary part or None.
    sizes : tuple of int
        Length of the axis and of the transform.
    """
    real, imaginary = parts
    given, length = sizes
    used = min(given, length if not (inverse and onesided) else length // 2 + 1)
    if used < given:
        real, imaginary = (
            part if part is None else sym.slice_axis(part, axis=-1, begin=0, end=used)
            for part in (real, imaginary)
        )
    node.limit(length * used, 2**26, "factors of a transform")
    bins = length // 2 + 1 if onesided and not inverse else length
    angles = 2 * np.pi * np.outer(np.arange(bins), np.arange(used)) / length
    cosine, sine = np.cos(angles), np.sin(angles) * (1 if inverse else -1)
    if inverse:
        weights = np.full(used, 1 / length)
        if onesided:  # each of the others stands for two
            weights[1 : (length + 1) // 2] *= 2
        cosine, sine = cosine * weights, sine * weights
    found = _product(node, real, cosine, "cosine")
    imagined = _product(node, real, sine, "sine")
    if imaginary is not None:
        found = found - _product(node, imaginary, sine, "sine")
        imagined = imagined + _product(node, imaginary, cosine, "cosine")
    return [found] if inverse and onesided else [found, imagined]


def _parts(x: Any, complex_: bool) -> list[Any]:
    real = sym.squeeze(sym.slice_axis(x, axis=-1, begin=0, end=1), axis=-1)
    if not complex_:
        return [real, None]
    return [real, sym.squeeze(sym.slice_axis(x, axis=-1, begin=1, end=2), axis=-1)]


def _dft(node: Node) -> Any:
    shape = node.sizes(0)
    rank = len(shape)
    axis = node.attribute("axis", 1)
    if node.opset >= _AXIS_IS_INPUT:
        axis = int(node.constant(2, "axis").item()) if node.has(2) else -2
    axis %= rank
    inverse, onesided = bool(node.attribute("inverse", 0)), bool(node.attribute("onesided", 0))
    default = 2 * (shape[axis] - 1) if inverse and onesided else shape[axis]
    length = int(node.constant(1, "dft_length").item()) if node.has(1) else default
    order = [at for at in range(rank - 1) if at != axis] + [axis]
    parts = [
        part if part is None else sym.transpose(part, axes=tuple(order))
        for part in _parts(node.symbol(0), shape[-1] == 2)
    ]
    found = _transform(node, parts, (shape[axis], length), inverse, onesided)
    return sym.stack(*(last_axis_to(part, axis, rank - 1) for part in found), axis=-1)


def _stft(node: Node) -> Any:
    shape = node.sizes(0)
    step = int(node.constant(1, "frame_step").item())
    length = int(node.constant(3, "frame_length").item()) if node.has(3) else node.sizes(2)[0]
    node.require(
        step > 0 and 0 < length <= shape[1],
        f"frames of {length} each {step}",
        "give frames that fit",
    )
    count = (shape[1] - length) // step + 1
    node.limit(count * length, 2**26, "elements of frames")
    at = np.arange(count)[:, np.newaxis] * step + np.arange(length)
    frames = sym.take(node.symbol(0), node.weight(at, "frames"), axis=1, mode="clip")
    parts = _parts(frames, len(shape) == 3 and shape[2] == 2)
    if node.has(2):
        window = sym.reshape(node.symbol(2), shape=(1, 1, -1))
        parts = [part if part is None else sym.broadcast_mul(part, window) for part in parts]
    onesided = bool(node.attribute("onesided", 1))
    found = _transform(node, parts, (length, length), False, onesided)
    return sym.stack(*found, axis=-1)


OPERATORS: dict[str, Translate] = {"DFT": _dft, "STFT": _stft}
