"""`quantize_dynamic`: conversion of networks to layers whose weights have 8 or 4 bits."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from opforge.plugin_api import F, gluon, nn

from .dense import QuantizedDense
from .dynamic_layer import DynamicLayer
from .recurrent import QuantizedRecurrent

__all__ = ["quantize_dynamic"]


def quantize_dynamic(
    net: Any,
    bits: int = 8,
    group_size: int | None = None,
    exclude: Collection[str] | Callable[[str], bool] = (),
) -> Any:
    """Give the dense and recurrent layers of a network weights of 8 or 4 bits; return the network.

    The network is changed: each `nn.Dense` becomes a `QuantizedDense`, and each `rnn.LSTM`,
    `rnn.GRU` and `rnn.RNN` a `QuantizedRecurrent`, whose data is quantized in each call; recurrent
    layers with projections, bounds of cells or lengths of sequences, and cells, stay unchanged. No
    examples are needed. Blocks keep their methods, so that decoders with caches work
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
        `net`, or the new layer if it is such a layer itself.

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
    """Layers made so far, by the layer and by the first weight that they replace."""

    def __init__(self, bits: int, group_size: int, is_excluded: Callable[[str], bool]) -> None:
        self._form = {"bits": bits, "group_size": group_size}
        self._is_excluded = is_excluded
        self._made: dict[int, Any] = {}
        self._by_weight: dict[int, DynamicLayer] = {}

    def of(self, block: Any) -> Any:
        """Return the block that replaces another one; the same if only its children change."""
        if self._is_excluded(block.name):
            return block
        if id(block) not in self._made:
            self._made[id(block)] = block  # blocks may contain each other
            if type(block) in _layers(nn, "Dense"):
                self._made[id(block)] = self._quantize(block, block.weight, _new_dense)
            elif _is_plain_recurrent(block):
                self._made[id(block)] = self._quantize(block, block.l0_i2h_weight, _new_recurrent)
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

    def _quantize(self, layer: Any, first: Any, new: Callable[..., DynamicLayer]) -> DynamicLayer:
        """Return the quantized form of a layer; layers that share weights share them again."""
        shared = self._by_weight.get(id(first))
        params = None if shared is None else shared.params
        values = {name: _value_of(parameter) for name, parameter in layer._reg_params.items()}
        made = new(layer, values, **self._form, prefix=layer.prefix, params=params)
        if shared is not None:
            return made
        made.initialize(ctx=first.list_ctx())
        for name, value in values.items():
            if name.endswith("weight"):
                made._set_weight(name, value)
            else:
                getattr(made, name).set_data(F.array(value))
        self._by_weight[id(first)] = made
        return made


def _layers(module: Any, *names: str) -> list[Any]:
    """Return classes of layers, without those of plugins that are not installed."""
    return [getattr(module, name) for name in names if hasattr(module, name)]


def _new_dense(layer: Any, values: dict[str, np.ndarray], **options: Any) -> QuantizedDense:
    """Return the quantized form of a dense layer, without its weight."""
    units, in_units = values["weight"].shape
    rest = {"use_bias": layer.bias is not None, "flatten": layer._flatten}
    return QuantizedDense(units, in_units, activation=layer.act, **rest, **options)


def _is_plain_recurrent(block: Any) -> bool:
    """Return whether a block is a recurrent layer that has a quantized form."""
    if type(block) not in _layers(gluon.rnn, "LSTM", "GRU", "RNN"):
        return False
    has_bounds = any(bound not in (None, False) for bound in block._clipping.values())
    return not (block._projection_size or block._use_sequence_length or has_bounds)


def _new_recurrent(layer: Any, values: dict[str, np.ndarray], **options: Any) -> QuantizedRecurrent:
    """Return the quantized form of a recurrent layer, without its weights."""
    return QuantizedRecurrent(
        layer._mode,
        layer._hidden_size,
        values["l0_i2h_weight"].shape[1],
        num_layers=layer._num_layers,
        layout=layer._layout,
        bidirectional=layer._dir == 2,
        **options,
    )


def _value_of(parameter: Any) -> np.ndarray:
    """Return the value of a parameter, if it can be quantized."""
    if np.dtype(parameter.dtype) != np.float32:
        raise ValueError(
            f"quantize_dynamic: {parameter.name} has type {np.dtype(parameter.dtype)}; "
            "expected float32. Call net.cast('float32') first"
        )
    value = parameter.data().asnumpy()
    if not np.isfinite(value).all():
        raise ValueError(
            f"quantize_dynamic: {parameter.name} has numbers that are not finite; expected "
            "finite ones. Exclude the layer, or load other parameters"
        )
    return value
