"""Exchange of weights between the zoo's networks and torchvision's and timm's models."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import Block, F, gluon

from .errors import TorchError
from .names import FAMILIES, PARAMETERS
from .timm_names import torchvision_names
from .zoo import Bottleneck, names

__all__ = ["load_weights", "torchvision_arrays"]

#: Counters of PyTorch's batch norms, which computations do not read.
_COUNTER = "num_batches_tracked"
#: Weight of MobileNet's last layer, a convolution in the zoo and a dense layer in torchvision.
_LAST = "classifier.1.weight"
#: Epsilon of the zoo's batch norms.
_EPSILON = 1e-5


class _Row(NamedTuple):
    """Parameter of a network, and torchvision's name of it; empty for one that it leaves out."""

    name: str
    parameter: Any
    key: str

    @property
    def kind(self) -> str:
        """Gluon's name of the parameter in its layer."""
        return self.name.rpartition(".")[2]


def load_weights(net: Block, state: Mapping[str, Any]) -> None:
    """Load weights of a model of torchvision or timm into the zoo's network.

    Parameters
    ----------
    net : Block
        From `get_model`. Its shapes may be unknown, and it need not be initialized.
    state : mapping of str to torch.Tensor or numpy.ndarray
        ``model.state_dict()``, or a ``.safetensors`` file read with its own package.

    Raises
    ------
    TorchError
        torchvision has no such network, or computes otherwise, or names do not match.

    Examples
    --------
    >>> import numpy as np
    >>> import opforge as mx
    >>> net = mx.torch.get_model("squeezenet1_1", classes=10)
    >>> mx.torch.load_weights(net, {"features.0.weight": np.zeros((64, 3, 3, 3))})
    Traceback (most recent call last):
    ...
    opforge_torch.errors.TorchError: SqueezeNet: 51 weights are missing, the first is \
'classifier.1.bias'; pass the state_dict() of torchvision's or timm's model of the same name
    """
    rows = _rows(net)
    keys = torchvision_names(state)
    given = {keys[key]: value for key, value in state.items() if not key.endswith(_COUNTER)}
    wanted = {row.key for row in rows if row.key}
    for found, label in ((wanted - given.keys(), "missing"), (given.keys() - wanted, "unknown")):
        if found:
            raise TorchError(
                f"{_name(net)}: {len(found)} weights are {label}, the first is {min(found)!r}; "
                "pass the state_dict() of torchvision's or timm's model of the same name"
            )
    arrays = [
        _array(row, given[row.key]) if row.key else _identity(row.kind, _width(rows))
        for row in rows
    ]
    net.collect_params().load_dict(
        {
            row.parameter.name: F.array(array, dtype=array.dtype)
            for row, array in zip(rows, arrays, strict=True)
        }
    )


def torchvision_arrays(net: Block) -> dict[str, np.ndarray]:
    """Return copies of the weights of a network by torchvision's names.

    Parameters
    ----------
    net : Block
    """
    found, rows = {}, _rows(net)
    for row in rows:
        array = row.parameter.data().asnumpy()
        if row.key:
            is_matrix = isinstance(net, gluon.model_zoo.vision.MobileNetV2) and row.key == _LAST
            found[row.key] = array.reshape(array.shape[:2]) if is_matrix else array
        elif not np.allclose(array, _identity(row.kind, _width(rows)), atol=1e-6):
            raise TorchError(
                f"{_name(net)}: torchvision has no layer for {row.name!r}, whose values are not "
                "those of an identity; freeze them while training: grad_req='null'"
            )
        if row.kind == "running_var" and row.key:
            found[row.key.replace(row.kind, _COUNTER)] = np.zeros((), np.int64)
    return found


def _rows(net: Block) -> list[_Row]:
    """Return the parameters of a network with torchvision's names."""
    name_of = next(
        (FAMILIES[c.__name__] for c in type(net).__mro__ if c.__name__ in FAMILIES), None
    )
    if name_of is None:
        raise TorchError(f"{_name(net)} is not in torchvision; expected one of {names()}")
    _expect_same_network(net)
    parameters = net._collect_params_with_prefix()
    dense = _first_dense_layer(parameters)
    rows = []
    for name, parameter in parameters.items():
        *path, kind = name.split(".")
        layer = name_of(path, dense)
        rows.append(_Row(name, parameter, f"{layer}.{PARAMETERS[kind]}" if layer else ""))
    return rows


def _first_dense_layer(parameters: Mapping[str, Any]) -> int:
    """Return the index of the first dense layer of the features; one beyond all without any."""
    found = [
        int(name.split(".")[1])
        for name, parameter in parameters.items()
        if name.startswith("features.") and name.endswith("weight") and len(parameter.shape) == 2
    ]
    return min(found, default=len(parameters))


def _expect_same_network(net: Any) -> None:
    """Raise an error for networks of the zoo that compute otherwise than torchvision's."""
    zoo = gluon.model_zoo.vision
    if isinstance(net, zoo.ResNetV1):
        others = [block for block in _blocks(net) if isinstance(block, zoo.BottleneckV1)]
        is_other = not all(isinstance(block, Bottleneck) for block in others)
        reason = "has the strides in 1x1 convolutions, and torchvision in those of 3x3"
    else:
        is_other = isinstance(net, zoo.MobileNetV2) and getattr(net.output[0], "bias", None) is None
        reason = "has no bias in its last layer"
    if is_other:
        raise TorchError(
            f"{_name(net)}: the network of the zoo {reason}; make it by opforge.torch.get_model()"
        )


def _blocks(block: Any) -> Iterator[Any]:
    """Yield a block and all blocks inside."""
    yield block
    for child in block._children.values():
        yield from _blocks(child)


def _name(net: Block) -> str:
    return type(net).__name__


def _array(row: _Row, value: Any) -> np.ndarray:
    """Return a tensor or an array as NumPy's.

    The matrix of a dense layer may be needed as a convolution's weight, and the reverse: timm's VGG
    has convolutions instead of dense layers.
    """
    array = np.asarray(value.detach() if hasattr(value, "detach") else value)
    match array.ndim, len(row.parameter.shape):
        case 2, 4:
            return array.reshape(*array.shape, 1, 1)
        case 4, 2:
            return array.reshape(len(array), -1)
    return array


def _width(rows: Sequence[_Row]) -> int:
    """Return the number of channels of the layer that torchvision leaves out."""
    return next(int(row.parameter.shape[0]) for row in rows if not row.key)


def _identity(kind: str, width: int) -> np.ndarray:
    """Return the values of a parameter in a 1x1 convolution and norm that change nothing."""
    if kind == "weight":
        return np.eye(width, dtype=np.float32).reshape(width, width, 1, 1)
    values = {"gamma": np.sqrt(1 + _EPSILON), "running_var": 1}
    return np.full(width, values.get(kind, 0), np.float32)
