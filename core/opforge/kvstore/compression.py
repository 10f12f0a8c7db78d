"""`TwoBitCompression`: gradients sent with two bits per value, as in MXNet's stores."""

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..native.calls import pack_two_bits, unpack_two_bits
from ..ndarray import NDArray, empty, zeros

__all__ = ["TwoBitCompression"]


class TwoBitCompression:
    """Quantize values to `threshold`, 0 or -`threshold`, and add the remainder the next time.

    Parameters
    ----------
    threshold : float > 0, default 0.5

    Raises
    ------
    OpforgeError
        `threshold` is not positive, or not finite.

    Examples
    --------
    >>> from opforge import nd
    >>> compress = TwoBitCompression(0.5)
    >>> compress(0, nd.array([0.3, 2.0, -0.7])).asnumpy().tolist()
    [0.0, 0.5, -0.5]
    >>> compress(0, nd.array([0.3, 0.0, 0.0])).asnumpy().tolist()
    [0.5, 0.5, 0.0]
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = float(threshold)
        if not 0 < self.threshold < inf:
            raise OpforgeError(
                "set_gradient_compression: threshold must be finite and greater than 0; got "
                f"{threshold!r}"
            )
        self._residuals: dict[Any, NDArray] = {}

    @classmethod
    def from_params(cls, params: Any) -> "TwoBitCompression":
        """Create the compression that MXNet's `compression_params` describe.

        Parameters
        ----------
        params : dict
            ``{"type": "2bit"}``, and ``"threshold"`` if it is not 0.5.

        Raises
        ------
        TypeError
            `params` is not a dict.
        OpforgeError
            The type is missing or unknown.
        """
        if not isinstance(params, Mapping):
            raise TypeError(
                f"set_gradient_compression: got {type(params).__name__}; expected a dict such as "
                "{'type': '2bit', 'threshold': 0.5}"
            )
        if params.get("type") != "2bit":
            raise OpforgeError(
                f"set_gradient_compression: got type {params.get('type')!r}; expected '2bit', the "
                "only supported one"
            )
        return cls(params.get("threshold", 0.5))

    def __call__(self, slot: Any, gradient: NDArray) -> NDArray:
        """Return a gradient as it is received after compression.

        Parameters
        ----------
        slot : hashable
            Identifies the parameter and device; each has a separate residual.
        gradient : NDArray, float32

        Raises
        ------
        OpforgeError
            `gradient` is not float32.
        """
        words = empty((self.words(gradient.size),), gradient.context, "int32")
        self.pack(slot, gradient, words)
        sent = empty(gradient.shape, gradient.context)
        unpack_two_bits(words, sent, self.threshold)
        return sent

    @staticmethod
    def words(size: int) -> int:
        """Return the number of 32-bit words for `size` values."""
        return -(-size // 16)

    def pack(self, slot: Any, gradient: NDArray, words: NDArray) -> None:
        """Pack a gradient, 16 values per word, and keep the residual.

        Parameters
        ----------
        slot : hashable
        gradient : NDArray, float32
        words : NDArray, int32
            Of length ``words(gradient.size)``.

        Raises
        ------
        OpforgeError
            `gradient` is not float32.
        """
        if gradient.dtype != np.float32:
            raise OpforgeError(
                f"gradient compression: the gradient of {slot!r} is {gradient.dtype.__name__}; "
                "expected float32. Cast the network, or train without compression_params"
            )
        residual = self._residuals.get(slot)
        if residual is None:
            residual = self._residuals[slot] = zeros(gradient.shape, gradient.context)
        pack_two_bits(gradient, residual, words, self.threshold)
