"""Dense layers whose weights have 8 or 4 bits, and conversion of networks to them."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from opforge.plugin_api import F, HybridBlock, nn

from .operators.dynamic_dense import stored_length
from .weights import dequantize_weight, quantize_weight

__all__ = ["QuantizedDense", "quantize_dynamic"]


class QuantizedDense(HybridBlock):
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
        super().__init__(**kwargs)
        self._in_units = in_units
        self._options = {
            **{"num_hidden": units, "bits": bits, "group_size": group_size},
            **{"no_bias": not use_bias, "flatten": flatten},
        }
        groups = -(-in_units // group_size) if group_size else 1
        stored = stored_length(in_units, bits)
        kind = "int8" if bits == 8 else "uint8"
        with self.name_scope():
            self.weight = self._constant("weight", (units, stored), kind, "zeros")
            self.scale = self._constant("scale", (units, groups), "float32", "ones")
            self.bias = self._constant("bias", (units,), "float32", "zeros") if use_bias else None
        self.act = activation

    def _constant(self, name: str, shape: tuple[int, ...], dtype: str, init: str) -> Any:
        return self.params.get(name, shape=shape, dtype=dtype, init=init, grad_req="null")

    def hybrid_forward(self, F: Any, x: Any, weight: Any, scale: Any, bias: Any = None) -> Any:
        """Return the layer's output for `x`."""
        out = F._dynamic_dense(x, weight, scale, bias, name="fwd", **self._options)
        return out if self.act is None else self.act(out)

    def dequantized_weight(self) -> np.ndarray:
        """Return the real numbers that the weight stands for, (units, in_units)."""
        arrays = self.weight.data().asnumpy(), self.scale.data().asnumpy()
        return dequantize_weight(*arrays, self._in_units, self._options["group_size"])

    def __repr__(self) -> str:
        units, bits = self._options["num_hidden"], self._options["bits"]
        act = "linear" if self.act is None else self.act
        return f"{type(self).__name__}({self._in_units} -> {units}, {act}, {bits} bits)"


def quantize_dynamic(
    net: Any,
    bits: int = 8,
    group_size: int | None = None,
    exclude: Collection[str] | Callable[[str], bool] = (),
) -> Any:
    """Give the dense layers of a network weights of 8 or 4 bits; return the network.

    The network is changed: each `nn.Dense` becomes a `QuantizedDense`, whose data is quantized in
    each call. No examples are needed. Blocks keep their methods, so that decoders with caches work
    as before. Weights take a quarter or an eighth of the memory; layers with few rows, whose time
    is that of reading the weights, become faster accordingly.

    Parameters
    ----------
    net : HybridBlock
        Trained network with weights in float32.
    bits : {8, 4}
    group_size : int, optional
        Elements of a row of a weight with a common scale, 32, 64, 128, ...; 0: complete rows.
        Default: complete rows with 8 bits, 32 with 4.
    exclude : collection of str, or callable
        Names of blocks that stay unchanged, or a function of a name that returns whether it does.

    Returns
    -------
    HybridBlock
        `net`, or the new layer if it is a Dense layer itself.

    Raises
    ------
    ValueError
        A weight is not float32, has numbers that are not finite, or was not initialized.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> net = nn.HybridSequential()
    >>> net.add(nn.Dense(8, in_units=4), nn.Dense(2, in_units=8))
    >>> net.initialize()
    >>> x = nd.ones((1, 4))
    >>> before = net(x)
    >>> abs(quantize_dynamic(net)(x) - before).max().asscalar() < 1e-3
    True
    """
    if bits not in (4, 8):
        raise ValueError(f"quantize_dynamic: bits is {bits!r}; expected 8 or 4")
    size = (32 if bits == 4 else 0) if group_size is None else group_size
    is_excluded = exclude if callable(exclude) else set(exclude).__contains__
    return _Conversion(bits, size, is_excluded).of(net)


class _Conversion:
    """Layers made so far, by the layer and by the weight that they replace."""

    def __init__(self, bits: int, group_size: int, is_excluded: Callable[[str], bool]) -> None:
        self._bits, self._group_size = bits, group_size
        self._is_excluded = is_excluded
        self._made: dict[int, Any] = {}
        self._by_weight: dict[int, QuantizedDense] = {}

    def of(self, block: Any) -> Any:
        """Return the block that replaces another one; the same if only its children change."""
        if self._is_excluded(block.name):
            return block
        if id(block) not in self._made:
            self._made[id(block)] = block  # blocks may contain each other
            if type(block) is nn.Dense:
                self._made[id(block)] = self._quantize(block)
            else:
                self._convert_children(block)
        return self._made[id(block)]

    def _convert_children(self, block: Any) -> None:
        for name, child in list(block._children.items()):
            made = self.of(child)
            if vars(block).get(name) is child:
                delattr(block, name)
                setattr(block, name, made)
            else:
                block.register_child(made, name)
            for value in vars(block).values():
                if isinstance(value, list):
                    value[:] = [made if item is child else item for item in value]

    def _quantize(self, layer: Any) -> QuantizedDense:
        """Return the quantized form of a layer; layers that share a weight share it again."""
        shared = self._by_weight.get(id(layer.weight))
        weight = _weight_of(layer)
        units, in_units = weight.shape
        made = QuantizedDense(
            units,
            in_units,
            self._bits,
            self._group_size,
            layer.act,
            use_bias=layer.bias is not None,
            flatten=layer._flatten,
            prefix=layer.prefix,
            params=None if shared is None else shared.params,
        )
        if shared is not None:
            return made
        made.initialize(ctx=layer.weight.list_ctx())
        integers, scales = quantize_weight(weight, self._bits, self._group_size)
        made.weight.set_data(F.array(integers, dtype=integers.dtype))
        made.scale.set_data(F.array(scales))
        if made.bias is not None:
            made.bias.set_data(layer.bias.data())
        self._by_weight[id(layer.weight)] = made
        return made


def _weight_of(layer: Any) -> np.ndarray:
    """Return the weight of a layer, if it can be quantized."""
    if np.dtype(layer.weight.dtype) != np.float32:
        raise ValueError(
            f"quantize_dynamic: {layer.weight.name} has type {np.dtype(layer.weight.dtype)}; "
            "expected float32. Call net.cast('float32') first"
        )
    weight = layer.weight.data().asnumpy()
    if not np.isfinite(weight).all():
        raise ValueError(
            f"quantize_dynamic: {layer.weight.name} has numbers that are not finite; expected "
            "finite ones. Exclude the layer, or load other parameters"
        )
    return weight
