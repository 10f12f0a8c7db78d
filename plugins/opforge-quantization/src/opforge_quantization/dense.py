"""`QuantizedDense`, a dense layer whose weight has 8 or 4 bits."""

from typing import Any

import numpy as np

from opforge.plugin_api import HybridBlock

from .dynamic_layer import DynamicLayer

__all__ = ["QuantizedDense"]


class QuantizedDense(DynamicLayer):
    """Fully connected layer whose weight has 8 or 4 bits; see the operator ``_dynamic_dense``.

    It predicts: no gradient is computed.

    Parameters
    ----------
    units, in_units : int
        Sizes of the output and of the input.
    bits : {8, 4}
    group_size : int
        Elements of a row of the weight with a common scale, 32, 64, 128, ...; 0: complete rows.
    activation : HybridBlock, optional
        Layer that follows.
    use_bias : bool, default True
    flatten : bool, default True
        Treat all axes except the first as features; if False, only the last axis.

    Examples
    --------
    >>> from opforge import nd
    >>> layer = QuantizedDense(2, 3)
    >>> layer.initialize()
    >>> layer.weight.dtype, layer.scale.shape, layer(nd.ones((4, 3))).shape
    (<class 'numpy.int8'>, (2, 1), (4, 2))
    """

    def __init__(
        self,
        units: int,
        in_units: int,
        bits: int = 8,
        group_size: int = 0,
        activation: HybridBlock | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(bits, group_size, **kwargs)
        self._in_units = in_units
        self._options = {"num_hidden": units, "no_bias": not use_bias, "flatten": flatten}
        with self.name_scope():
            self.weight, self.scale = self._weight("weight", units, in_units)
            self.bias = self._bias("bias", units) if use_bias else None
        self.act = activation

    def hybrid_forward(self, F: Any, x: Any, weight: Any, scale: Any, bias: Any = None) -> Any:
        """Return the layer's output for `x`."""
        options = {**self._options, **self._form}
        out = F._dynamic_dense(x, weight, scale, bias, name="fwd", **options)
        return out if self.act is None else self.act(out)

    def dequantized_weight(self) -> np.ndarray:
        """Return the real numbers that the weight stands for, (units, in_units)."""
        return self._real_weight("weight", self._in_units)

    def __repr__(self) -> str:
        units, bits = self._options["num_hidden"], self._form["bits"]
        act = "linear" if self.act is None else self.act
        return f"{type(self).__name__}({self._in_units} -> {units}, {act}, {bits} bits)"
