"""`Weights`: the arrays of an ONNX file as variables of a symbol."""

from typing import Any

import numpy as np

from opforge.plugin_api import OpforgeError, element_type, sym

from ..errors import ImportModelError
from .node import Value

__all__ = ["Weights"]


class Weights:
    """Variables of a symbol and their values.

    Attributes
    ----------
    arrays : dict of str to numpy.ndarray
        Values by the name of the variable.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._variables: dict[str, Any] = {}

    def of(self, value: Value) -> Any:
        """Return a value as a symbol; numbers become a variable."""
        if value.symbol is not None:
            return value.symbol
        assert value.constant is not None
        return self.symbol(value.name or f"constant{len(self.arrays)}", value.constant)

    def symbol(self, name: str, array: np.ndarray) -> Any:
        """Return the variable of an array; the same for the same name.

        A scalar is an array of one element, as MXNet has no others.
        """
        found = self._variables.get(name)
        if found is None:
            values = array.reshape(1) if array.ndim == 0 else array
            try:
                element_type(values.dtype)
            except OpforgeError as error:
                raise ImportModelError(
                    f"import of ONNX: weight {name!r} is {values.dtype.name}: {error}"
                ) from None
            found = sym.Variable(name, shape=values.shape, dtype=values.dtype.name)
            self._variables[name], self.arrays[name] = found, values
        return found
