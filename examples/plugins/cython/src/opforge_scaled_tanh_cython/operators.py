"""Declaration of scaled_tanh; `_native.pyx` computes it."""

from opforge.plugin_api import Attribute, native


class ScaledTanh(native.NativeOperator):
    """Return the hyperbolic tangent of `scale` times each element."""

    name = "scaled_tanh"
    library = native.load(f"{__package__}._native")
    scale = Attribute(float, default=1.0, doc="Factor of the input.")
    dtypes = ("float32", "float64")
    saves = ("inputs",)
