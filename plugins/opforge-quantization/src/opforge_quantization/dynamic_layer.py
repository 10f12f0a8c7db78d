"""`DynamicLayer`, the base class of layers whose weights have 8 or 4 bits."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import HybridBlock

from .operators.dynamic_dense import n_groups, stored_length
from .weights import dequantize_weight, quantize_weight

__all__ = ["DynamicLayer"]


def _scale_of(weight: str) -> str:
    """Return the name of the scales of a weight."""
    return weight.removesuffix("weight") + "scale"


class DynamicLayer(HybridBlock):
    """Base class of layers whose weights have 8 or 4 bits, and whose data is quantized in calls.

    Parameters
    ----------
    bits : {8, 4}
    group_size : int
        Elements of a row of a weight with a common scale, 32, 64, 128, ...; 0: complete rows.
    """

    def __init__(self, bits: int, group_size: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._form = {"bits": bits, "group_size": group_size}

    def _weight(self, name: str, units: int, length: int) -> tuple[Any, Any]:
        """Return the parameters of a weight and of its scales."""
        bits, groups = self._form["bits"], n_groups(length, self._form["group_size"])
        shape, kind = (units, stored_length(length, bits)), "int8" if bits == 8 else "uint8"
        return (
            self._constant(name, shape, kind, "zeros"),
            self._constant(_scale_of(name), (units, groups), "float32", "ones"),
        )

    def _bias(self, name: str, units: int) -> Any:
        return self._constant(name, (units,), "float32", "zeros")

    def _constant(self, name: str, shape: tuple[int, ...], dtype: str, init: str) -> Any:
        return self.params.get(name, shape=shape, dtype=dtype, init=init, grad_req="null")

    def _set_weight(self, name: str, values: np.ndarray) -> None:
        """Quantize the values of a weight."""
        integers, scales = quantize_weight(values, self._form["bits"], self._form["group_size"])
        getattr(self, name).set_data(nd.array(integers, dtype=integers.dtype))
        getattr(self, _scale_of(name)).set_data(nd.array(scales))

    def _real_weight(self, name: str, length: int) -> np.ndarray:
        """Return the real numbers that a weight stands for."""
        integers, scales = (
            getattr(self, part).data().asnumpy() for part in (name, _scale_of(name))
        )
        return dequantize_weight(integers, scales, length, self._form["group_size"])
