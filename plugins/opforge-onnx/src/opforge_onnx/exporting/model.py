"""`build`: the ONNX model of a network."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, helper

from opforge.plugin_api import OpforgeError

from ..errors import ExportError
from .call import Value
from .element_types import onnx_type
from .files import Model
from .graph import Graph
from .sources import Network
from .translation import Translation
from .types import types_of

__all__ = ["OLDEST_OPSET", "Input", "build", "ir_version"]

#: Slice, TopK and Clip take their settings as inputs since then.
OLDEST_OPSET = 13


class Input:
    """Input of a network: shape and dtype to export with, and which of its sizes may change.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype
    sizes : sequence of int, str or None
        The shape as the file has it: a text names a size that may change; None is one without a
        name.
    """

    def __init__(self, shape: Sequence[int], dtype: Any, sizes: Sequence[Any]) -> None:
        self.shape = tuple(int(size) for size in shape)
        self.dtype = np.dtype(dtype)
        self.sizes = tuple(sizes)
        if len(self.sizes) != len(self.shape):
            raise ExportError(
                f"export to ONNX: the dynamic shape {self.sizes} has {len(self.sizes)} dimensions, "
                f"the shape {self.shape} has {len(self.shape)}"
            )


def ir_version(opset: int) -> int:
    """Return the version of the file format that came with an opset.

    Examples
    --------
    >>> ir_version(21), ir_version(13)
    (10, 7)
    """
    return int(helper.find_min_ir_version_for([helper.make_opsetid("", opset)]))


def build(network: Network, inputs: Sequence[Input], opset: int) -> Model:
    """Translate a network.

    Parameters
    ----------
    network : Network
    inputs : sequence of Input
        In the order of the variables of the symbol that are not weights.
    opset : int

    Raises
    ------
    ExportError
        ONNX cannot express an operator, or the inputs do not match the network.
    """
    newest = onnx.defs.onnx_opset_version()
    if not OLDEST_OPSET <= opset <= newest:
        raise ExportError(
            f"export to ONNX: opset is {opset}, expected {OLDEST_OPSET} to {newest}, the newest "
            f"that onnx {onnx.__version__} has"
        )
    symbol, weights = network
    names = _input_names(symbol, weights, len(inputs))
    graph = Graph(opset)
    values = {
        name: Value(graph.unique(name), given.shape, given.dtype)
        for name, given in zip(names, inputs, strict=True)
    }
    known = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
    for name in sorted(known & weights.keys()):
        array = weights[name]
        values[name] = Value(graph.add_weight(name, array), array.shape, array.dtype)
    outputs = Translation(graph).outputs_of(symbol, values)
    infos = [
        _info(values[name].name, given.dtype, given.sizes)
        for name, given in zip(names, inputs, strict=True)
    ]
    sizes = _output_sizes(symbol, names, inputs, outputs, weights)
    return _model(graph, symbol, infos, outputs, sizes)


def _input_names(symbol: Any, weights: Mapping[str, np.ndarray], count: int) -> list[str]:
    """Return the variables that are no weights; labels come last and are left out."""
    free = [name for name in symbol.list_inputs() if name not in weights]
    if len(free) > count:
        free = [name for name in free if not name.endswith("label")] or free
    if len(free) != count:
        raise ExportError(
            f"export to ONNX: {count} input shapes were given, and the network has the inputs "
            f"{free}; give one shape for each, and pass the values of all weights in params"
        )
    return free


def _output_sizes(
    symbol: Any,
    names: Sequence[str],
    inputs: Sequence[Input],
    outputs: Sequence[Value],
    weights: Mapping[str, np.ndarray],
) -> list[tuple[Any, ...]]:
    """Return the shapes of the outputs, in which sizes that follow the inputs have names or None.

    They are found by a second inference, with larger sizes.
    """
    named = _named_sizes(inputs)
    if not named:
        return [value.shape for value in outputs]
    larger = {key: 2 * size for key, size in named.items()}
    shapes = {name: array.shape for name, array in weights.items()}
    shapes.update(
        {
            name: tuple(
                size if isinstance(text, int) else larger.get(text, 2 * size)
                for size, text in zip(given.shape, given.sizes, strict=True)
            )
            for name, given in zip(names, inputs, strict=True)
        }
    )
    dtypes = {name: given.dtype for name, given in zip(names, inputs, strict=True)}
    try:
        types = types_of(symbol, shapes, dtypes)
    except OpforgeError as error:
        raise ExportError(
            f"export to ONNX: the network does not take other sizes of its inputs ({error}); "
            "export it with fixed ones"
        ) from error
    found = []
    for value, edge in zip(outputs, symbol.edges, strict=True):
        other = types[edge][0]
        found.append(
            tuple(
                size if size == changed else _name_of(size, changed, named, larger)
                for size, changed in zip(value.shape, other, strict=True)
            )
        )
    return found


def _named_sizes(inputs: Sequence[Input]) -> dict[Any, int]:
    """Return the sizes that may change by their name; None stands for those without a name."""
    found: dict[Any, int] = {}
    for given in inputs:
        for size, text in zip(given.shape, given.sizes, strict=True):
            if not isinstance(text, int):
                found[text] = size
    return found


def _name_of(size: int, changed: int, named: Mapping[Any, int], larger: Mapping[Any, int]) -> Any:
    """Return the name of the input's size that an output's size equals; None if it is computed."""
    for text, value in named.items():
        if text is not None and (size, changed) == (value, larger[text]):
            return text
    return None


def _info(name: str, dtype: Any, sizes: Sequence[Any]) -> Any:
    return helper.make_tensor_value_info(name, onnx_type(dtype), list(sizes))


def _model(
    graph: Graph,
    symbol: Any,
    inputs: Sequence[Any],
    outputs: Sequence[Value],
    sizes: Sequence[tuple[Any, ...]],
) -> Model:
    infos = []
    for value, name, shape in zip(outputs, symbol.list_outputs(), sizes, strict=True):
        infos.append(_info(graph.name_output(value.name, name), value.dtype, shape))
    sets = [helper.make_opsetid("", graph.opset)]
    sets += [helper.make_opsetid(domain, version) for domain, version in graph.domains.items()]
    model = ModelProto(producer_name="opforge", ir_version=ir_version(graph.opset))
    model.opset_import.extend(sets)
    model.graph.name = symbol.name or "network"
    return Model(model, graph.write_to(model.graph, inputs, infos))
