"""The declaration of scaled_tanh; `_native.py` computes it."""

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, native

from ._native import FUNCTIONS


class ScaledTanh(native.NativeOperator):
    """Return the hyperbolic tangent of `scale` times each element."""

    name = "scaled_tanh"
    library = FUNCTIONS
    scale = Attribute(float, default=1.0, doc="Factor of the input.")
    argument_docs = {"data": "float32 or float64"}
    saves = ("inputs",)

    def infer_type(self, in_type):
        """Return the input's type; the functions read no other than these two."""
        (dtype,) = in_type
        if dtype not in (None, np.float32, np.float64):
            raise DTypeError(f"data is {np.dtype(dtype).name}, expected float32 or float64")
        return in_type, [dtype], []
