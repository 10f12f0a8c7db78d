"""Discrete Fourier transforms of the last axis."""

from typing import Any, ClassVar

import numpy as np

from opforge.plugin_api import Attribute, OperatorProp, ShapeError

from .arrays import store

Dims = tuple[int, ...]


class _Transform(OperatorProp):
    """Base class: complex numbers are pairs of real and imaginary parts along the last axis."""

    category = "linear"
    dtypes = ("floating",)
    saves = ()
    attrs = {"IsPure": True}
    compute_size = Attribute(
        int, default=128, doc="Ignored; accepted for compatibility with MXNet."
    )
    #: Numbers per element of the last axis, of the input and of the output.
    _widths: ClassVar[tuple[int, int]]

    def _with_width(self, shape: Any, width: int, new: int) -> Dims:
        """Return the shape with the last axis of another width."""
        return (*shape[:-1], shape[-1] // width * new)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the input's shape with a last axis of the output's width."""
        data = tuple(in_shape[0])
        width, new = self._widths
        if data and data[-1] % width:
            raise ShapeError(
                f"operator '{self.name}': data has shape {data}; expected an even last length, "
                "with the real and the imaginary part of each number"
            )
        return in_shape, [self._with_width(data, width, new) if data else None], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape with a last axis of the input's width."""
        new, width = self._widths
        (out,) = out_shapes
        return [self._with_width(out, width, new)] if out else list(in_shapes)


class FFT(_Transform):
    r"""Return the discrete Fourier transform of the last axis.

    .. math:: y_k = \sum_j x_j \, e^{-2 \pi i j k / d}

    The output holds real and imaginary parts in turn.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.fft(nd.array([[1, 3], [2, 2]])).asnumpy().tolist()
    [[4.0, 0.0, -2.0, 0.0], [4.0, 0.0, 0.0, 0.0]]
    """

    name = "_contrib_fft"
    argument_docs = {"data": "shape (..., d), real"}
    _widths = (1, 2)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Transform half of the spectrum; the other half is conjugate."""
        data = _wide(in_data[0])
        if not data.size:
            return
        half = np.fft.rfft(data)
        spectrum = np.empty(data.shape, half.dtype)
        kept = half.shape[-1]
        spectrum[..., :kept] = half
        np.conjugate(half[..., (data.shape[-1] - 1) // 2 : 0 : -1], out=spectrum[..., kept:])
        store(out_data[0], spectrum.view(data.dtype), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the adjoint, which is the inverse transform without its factor."""
        return [F.contrib.ifft(out_grad[0])]


class IFFT(_Transform):
    r"""Return the real part of the inverse Fourier transform of the last axis, times its length.

    .. math:: y_j = \operatorname{Re} \sum_k x_k \, e^{2 \pi i j k / d}

    The input holds real and imaginary parts in turn.

    Examples
    --------
    >>> from opforge import nd
    >>> spectrum = nd.contrib.fft(nd.array([[1, 2, 3, 4]]))
    >>> (nd.contrib.ifft(spectrum) / 4).asnumpy().tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """

    name = "_contrib_ifft"
    argument_docs = {"data": "shape (..., 2 d), real and imaginary parts in turn"}
    _widths = (2, 1)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Transform complex numbers without a factor."""
        data = _wide(in_data[0])
        if data.size:
            spectrum = np.ascontiguousarray(data).view(np.result_type(data, np.complex64))
            store(out_data[0], np.fft.ifft(spectrum, norm="forward").real, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the adjoint, which is the transform."""
        return [F.contrib.fft(out_grad[0])]


def _wide(array: Any) -> np.ndarray:
    """Return an array of float32, or of float64 unchanged."""
    data = np.asarray(array)
    return data if data.dtype == np.float64 else data.astype(np.float32, copy=False)
