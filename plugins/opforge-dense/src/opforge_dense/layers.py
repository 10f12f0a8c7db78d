"""The fully connected layer."""

from numbers import Integral
from typing import Any

from opforge.plugin_api import HybridBlock, nn


class Dense(HybridBlock):
    """Fully connected layer: activation(data . weight^T + bias).

    Parameters
    ----------
    units : int
        Size of the output.
    activation : str, optional
        Argument of the ``Activation`` layer (from opforge-sigmoid); None for a linear layer.
    use_bias : bool, default True
    flatten : bool, default True
        Treat all axes except the first as features; if False, only the last axis.
    dtype : str or type, default "float32"
    weight_initializer, bias_initializer : Initializer or str, optional
        Default: the initializer passed to ``initialize()`` for the weight, zeros for the bias.
    in_units : int, default 0
        Size of the input; 0 infers it from the first input.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Dense(2)
    >>> layer.initialize()
    >>> layer(nd.ones((4, 3))).shape
    (4, 2)
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(activation, str | None):
            raise TypeError(
                f"{type(self).__name__}: activation is {activation!r}, expected a name such as "
                f"'relu'. The number of inputs is inferred, or a keyword: "
                f"{type(self).__name__}({activation}, in_units={units})"
            )
        for name, size in (("units", units), ("in_units", in_units)):
            if not isinstance(size, Integral) or size < 0:
                raise ValueError(
                    f"{type(self).__name__}: {name} is {size!r}; expected an integer >= 0"
                )
        self._flatten = flatten
        with self.name_scope():
            self._units = units
            self._in_units = in_units
            self.weight = self.params.get(
                "weight",
                shape=(units, in_units),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias",
                    shape=(units,),
                    init=bias_initializer,
                    dtype=dtype,
                    allow_deferred_init=True,
                )
                if use_bias
                else None
            )
            self.act = (
                None if activation is None else nn.Activation(activation, prefix=activation + "_")
            )

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return the layer's output for `x`."""
        out = F.FullyConnected(
            x,
            weight,
            bias,
            no_bias=bias is None,
            num_hidden=self._units,
            flatten=self._flatten,
            name="fwd",
        )
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        units, in_units = self.weight.shape or (0, 0)
        act = "linear" if self.act is None else self.act
        return f"{type(self).__name__}({in_units or None} -> {units}, {act})"
