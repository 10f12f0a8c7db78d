"""`TwoBitCompression`: gradients in two bits a value, as MXNet's stores send them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..ndarray import NDArray

__all__ = ["TwoBitCompression"]


class TwoBitCompression:
    """Makes of each value `threshold`, 0 or -`threshold`; the rest is added the next time.

    Parameters
    ----------
    threshold : float > 0, default 0.5

    Raises
    ------
    OpforgeError
        `threshold` is not positive.

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
        if not self.threshold > 0:
            raise OpforgeError(
                f"set_gradient_compression: threshold must be greater than 0, got {threshold!r}"
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
        if gradient.dtype != np.float32:
            raise OpforgeError(
                f"gradient compression: the gradient of {place!r} is {gradient.dtype.__name__}, "
                "expected float32; cast the network, or train without compression_params"
            )
        rest = self._residuals.get(place)
        rest = gradient.copy() if rest is None else rest + gradient
        sent = ((rest >= self.threshold) - (rest <= -self.threshold)) * self.threshold
        self._residuals[place] = rest - sent
        return sent
