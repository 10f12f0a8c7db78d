"""`TwoBitCompression`: gradients in two bits a value, as MXNet's stores send them."""

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..native.calls import pack_two_bits, unpack_two_bits
from ..ndarray import NDArray, empty, zeros

__all__ = ["TwoBitCompression"]


class TwoBitCompression:
    """Makes of each value `threshold`, 0 or -`threshold`; the rest is added the next time.

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
                "set_gradient_compression: threshold must be finite and greater than 0, got "
                f"{threshold!r}"
            )
        self._residuals: dict[Any, NDArray] = {}

    @classmethod
    def from_params(cls, params: Any) -> "TwoBitCompression":
        """Return what MXNet's `compression_params` describe.

        Parameters
        ----------
        params : dict
            ``{"type": "2bit"}``, and ``"threshold"`` where it is not 0.5.

        Raises
        ------
        TypeError
            `params` is no dict.
        OpforgeError
            The type is missing or another one.
        """
        if not isinstance(params, Mapping):
            raise TypeError(
                f"set_gradient_compression: got {type(params).__name__}, expected a dict as "
                "{'type': '2bit', 'threshold': 0.5}"
            )
        if params.get("type") != "2bit":
            raise OpforgeError(
                f"set_gradient_compression: got type {params.get('type')!r}, expected '2bit', the "
                "only one that there is"
            )
        return cls(params.get("threshold", 0.5))

    def __call__(self, place: Any, gradient: NDArray) -> NDArray:
        """Return what arrives of a gradient.

        Parameters
        ----------
        place : hashable
            Whose gradient it is: of which parameter, on which device. Each has a rest of its own.
        gradient : NDArray, float32

        Raises
        ------
        OpforgeError
            `gradient` is not float32.
        """
        words = empty((self.words(gradient.size),), gradient.context, "int32")
        self.pack(place, gradient, words)
        sent = empty(gradient.shape, gradient.context)
        unpack_two_bits(words, sent, self.threshold)
        return sent

    @staticmethod
    def words(size: int) -> int:
        """Return how many numbers of 32 bits hold so many values."""
        return -(-size // 16)

    def pack(self, place: Any, gradient: NDArray, words: NDArray) -> None:
        """Write what is sent of a gradient, 16 values in a word, and keep the rest.

        Parameters
        ----------
        place : hashable
        gradient : NDArray, float32
        words : NDArray, int32
            As many as `words` says.

        Raises
        ------
        OpforgeError
            `gradient` is not float32.
        """
        if gradient.dtype != np.float32:
            raise OpforgeError(
                f"gradient compression: the gradient of {place!r} is {gradient.dtype.__name__}, "
                "expected float32; cast the network, or train without compression_params"
            )
        rest = self._residuals.get(place)
        if rest is None:
            rest = self._residuals[place] = zeros(gradient.shape, gradient.context)
        pack_two_bits(gradient, rest, words, self.threshold)
