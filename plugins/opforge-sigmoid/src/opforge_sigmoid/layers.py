"""Activation layer."""

from typing import Any

from opforge.plugin_api import HybridBlock

from . import operators


class Activation(HybridBlock):
    """Apply an activation function elementwise.

    Parameters
    ----------
    activation : {"relu", "sigmoid", "softrelu", "softsign", "tanh"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.nn.Activation("relu")(nd.array([-1.0, 2.0])).asnumpy().tolist()
    [0.0, 2.0]
    """

    def __init__(self, activation: str, **kwargs: Any) -> None:
        operators.Activation(act_type=activation)  # raises if the activation is unknown
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the activation of `x`."""
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"
