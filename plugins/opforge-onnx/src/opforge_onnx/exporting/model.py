"""`build`: the ONNX model of a network."""

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import ModelProto, helper

from ..errors import ExportError
from .element_types import onnx_type
from .files import Model
from .graph import Graph
from .inputs import Input, values_of
from .sources import Network
from .translation import Translation
from .value import Value

__all__ = ["OLDEST_OPSET", "build", "ir_version"]

#: Slice, TopK and Clip take their settings as inputs since then.
OLDEST_OPSET = 13


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
        In the order of a block's arguments, or of the variables of a symbol that are not weights.
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
    symbol, weights, _ = network
    names = _input_names(network, len(inputs))
    graph = Graph(opset)
    values = values_of(network, names, inputs)
    for name, value in values.items():
        values[name] = value._replace(name=graph.unique(name))
    given = list(values.values())
    graph.inputs = given
    known = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
    for name in sorted(known & weights.keys()):
        array = weights[name]
        values[name] = Value(graph.add_weight(name, array), array.shape, array.dtype)
    outputs = Translation(graph).outputs_of(symbol, values)
    infos = [_info(*pair) for pair in zip(given, [item.sizes for item in inputs], strict=True)]
    sizes = [_open_sizes(value, inputs, given) for value in outputs]
    return _model(graph, symbol, infos, outputs, sizes)


def _input_names(network: Network, count: int) -> list[str]:
    """Return the variables that are no weights; labels come last and are left out."""
    free = [name for name in network.symbol.list_inputs() if name not in network.weights]
    if network.inputs:  # a block may use them in another order than it takes them
        free.sort(key=network.inputs.index)
    if len(free) > count:
        free = [name for name in free if not name.endswith("label")] or free
    if len(free) != count:
        raise ExportError(
            f"export to ONNX: {count} input shapes were given, and the network has the inputs "
            f"{free}; give one shape for each, and pass the values of all weights in params"
        )
    return free


def _open_sizes(value: Value, inputs: Sequence[Input], values: Sequence[Value]) -> tuple[Any, ...]:
    """Return the shape of an output: numbers, names of sizes of inputs, None for other ones."""
    names = {
        other.sizes(axis): size
        for given, other in zip(inputs, values, strict=True)
        for axis, size in enumerate(given.sizes)
        if isinstance(size, str)
    }
    return tuple(
        names.get(value.sizes(axis)) if value.is_open(axis) else size or None
        for axis, size in enumerate(value.shape)
    )


def _info(value: Value, sizes: Sequence[Any]) -> Any:
    return helper.make_tensor_value_info(value.name, onnx_type(value.dtype), list(sizes))


def _model(
    graph: Graph,
    symbol: Any,
    inputs: Sequence[Any],
    outputs: Sequence[Value],
    sizes: Sequence[tuple[Any, ...]],
) -> Model:
    infos = []
    for value, name, shape in zip(outputs, symbol.list_outputs(), sizes, strict=True):
        infos.append(_info(value._replace(name=graph.name_output(value.name, name)), shape))
    sets = [helper.make_opsetid("", graph.opset)]
    sets += [helper.make_opsetid(domain, version) for domain, version in graph.domains.items()]
    model = ModelProto(producer_name="opforge", ir_version=ir_version(graph.opset))
    model.opset_import.extend(sets)
    model.graph.name = symbol.name or "network"
    return Model(model, graph.write_to(model.graph, inputs, infos))
