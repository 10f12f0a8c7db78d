"""`read`: the symbol and the weights of an ONNX file."""

import os
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    ValueInfoProto,
    numpy_helper,
)

from opforge.plugin_api import rules, sym

from ..errors import ImportModelError
from ..marks import DOMAIN, restore_marked
from . import control
from .folding import fold, transpose
from .functions import inline, nodes_of
from .node import Node, Value
from .operators import (
    elementwise,
    marked,
    networks,
    pooling,
    quantization,
    recurrent,
    reductions,
    regions,
    resizing,
    sampling,
    scattering,
    shapes,
    transforms,
)
from .types import Kind, infer, infer_graph, kinds_of
from .weights import Weights

__all__ = ["FORMAT", "Imported", "Reader", "load", "read"]

#: Kind of the rules for nodes that are not here.
FORMAT = "onnx_import"
_OPERATORS = {
    **elementwise.OPERATORS,
    **networks.OPERATORS,
    **pooling.OPERATORS,
    **recurrent.OPERATORS,
    **reductions.OPERATORS,
    **regions.OPERATORS,
    **quantization.OPERATORS,
    **resizing.OPERATORS,
    **sampling.OPERATORS,
    **scattering.OPERATORS,
    **shapes.OPERATORS,
    **transforms.OPERATORS,
}
#: Largest number of nodes that all loops together may become.
_MOST = 20_000


class Imported(NamedTuple):
    """Network of an ONNX file.

    Parameters
    ----------
    symbol : Symbol
    weights : dict of str to numpy.ndarray
    inputs : list of str
        Names of the inputs, which are variables of the symbol.
    """

    symbol: Any
    weights: dict[str, np.ndarray]
    inputs: list[str]


def load(model: Any) -> ModelProto:
    """Return the model of a file, of its bytes, or itself."""
    if isinstance(model, ModelProto):
        return model
    try:
        if isinstance(model, bytes):
            return onnx.load_model_from_string(model)
        return onnx.load(os.fspath(model))
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ImportModelError(
            f"import of ONNX: {'the model' if isinstance(model, bytes) else model} is no valid "
            f"ONNX file ({type(error).__name__}: {error})"
        ) from error


def read(model: ModelProto, shapes: Mapping[str, Sequence[int]] | None = None) -> Imported:
    """Translate a model.

    Parameters
    ----------
    model : onnx.ModelProto
    shapes : mapping of str to sequence of int, optional
        Shapes of inputs that replace those in the file, whose sizes may be unknown.

    Raises
    ------
    ImportModelError
        A node has no equivalent; the message names it and a remedy.
    """
    if not model.graph.output:
        raise ImportModelError("import of ONNX: the model has no outputs; is it a file of ONNX?")
    opset = max((s.version for s in model.opset_import if s.domain in ("", "ai.onnx")), default=1)
    inline(model, {*_OPERATORS, *control.OPERATORS, *_nodes_of_plugins()})
    _set_shapes(model, shapes or {})
    inferred = infer(model)
    restore_marked(inferred.graph)  # afterwards, as the inference knows standard nodes only
    known = kinds_of([*inferred.graph.value_info, *inferred.graph.input, *inferred.graph.output])
    reader = Reader(opset)
    reader.add_weights(model.graph)
    inputs = [info for info in model.graph.input if info.name not in reader.values]
    for info in inputs:
        reader.values[info.name] = _input(info)
    reader.read_nodes(inferred.graph.node, known)
    outputs = [reader.symbol(reader.result(info.name)) for info in model.graph.output]
    symbol = outputs[0] if len(outputs) == 1 else sym.Group(outputs)
    read_names = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
    arrays = reader.weights.arrays
    used = {name: array for name, array in arrays.items() if name in read_names}
    return Imported(symbol, used, [info.name for info in inputs])


def _set_shapes(model: ModelProto, shapes: Mapping[str, Sequence[int]]) -> None:
    infos = {info.name: info for info in model.graph.input}
    for name, shape in shapes.items():
        if name not in infos:
            raise ImportModelError(
                f"import of ONNX: shapes has {name!r}, expected some of the inputs {sorted(infos)}"
            )
        kind = infos[name].type.tensor_type
        kind.ClearField("shape")
        kind.shape.SetInParent()  # a scalar has a shape without dimensions
        for size in shape:
            kind.shape.dim.add().dim_value = int(size)


def _nodes_of_plugins() -> list[str]:
    """Return the nodes that rules of plugins translate."""
    return rules.supported(FORMAT)


def _input(info: ValueInfoProto) -> Value:
    shape, dtype = kinds_of([info])[info.name]
    if dtype is None:
        raise ImportModelError(
            f"import of ONNX: input {info.name!r} is no tensor; expected tensors only"
        )
    declared = None if shape is None else tuple(size or 0 for size in shape) or (1,)
    return Value(sym.Variable(info.name, shape=declared, dtype=dtype.name), shape, dtype=dtype)


class Reader:
    """Translation of nodes, one after the other.

    Parameters
    ----------
    opset : int

    Attributes
    ----------
    values : dict of str to Value
        Inputs, weights and results by name.
    weights : Weights
    """

    def __init__(self, opset: int) -> None:
        self.values: dict[str, Value] = {"": None}  # type: ignore[dict-item]
        self.weights = Weights()
        self._opset = opset
        self._scope = ""
        self._repeated = 0
        self._kinds: dict[Any, tuple[GraphProto, Mapping[str, Kind]]] = {}

    def repeat(self, node: Node, body: GraphProto) -> None:
        """Count the nodes of one more step of a loop.

        Raises
        ------
        ImportModelError
            All loops together become too many nodes.
        """
        self._repeated += max(1, len(body.node))
        node.require(
            self._repeated <= _MOST,
            f"loops repeat more than {_MOST} nodes",
            "export the model with an operator for the whole sequence, such as LSTM",
        )

    def get(self, name: str, where: str) -> Value:
        """Return the value of a name."""
        if name not in self.values:
            raise ImportModelError(
                f"import of ONNX: {where} reads {name!r}, which nothing computes"
            )
        return self.values[name]

    def result(self, name: str) -> Value:
        """Return an output of a graph."""
        if not name:
            raise ImportModelError("import of ONNX: an output of a graph has no name")
        return self.get(name, "a graph")

    def add_weights(self, graph: GraphProto) -> None:
        """Add the weights of a graph to the values."""
        for tensor in graph.initializer:
            array = numpy_helper.to_array(tensor)
            self.values[tensor.name] = Value(
                None, array.shape, array, self._scope + tensor.name, array.dtype
            )

    def symbol(self, value: Value) -> Any:
        """Return a value as a symbol; numbers become a weight."""
        return self.weights.of(value)

    def read_subgraph(
        self, graph: GraphProto, given: Mapping[str, Value], scope: str
    ) -> list[Value]:
        """Return the outputs of the graph of a node, which may read the values around it.

        Parameters
        ----------
        graph : onnx.GraphProto
        given : mapping of str to Value
            The inputs.
        scope : str
            Beginning of the names of its weights.
        """
        outer, outer_scope = self.values, self._scope
        self.values, self._scope = {**outer, **given}, f"{scope}_"
        try:
            self.add_weights(graph)
            self.read_nodes(graph.node, self._kinds_in(graph, given))
            return [self.result(info.name) for info in graph.output]
        finally:
            self.values, self._scope = outer, outer_scope

    def _kinds_in(self, graph: GraphProto, inputs: Container[str]) -> Mapping[str, Kind]:
        """Return the kinds of the results in the graph of a node; the same for the same inputs."""
        read = {name for node in nodes_of(graph) for name in node.input if name in self.values}
        values = {name: self.values[name] for name in sorted(read - {""})}
        given = {
            name: Kind(value.known_shape, value.dtype)
            for name, value in values.items()
            if value is not None
        }
        # Numbers of its inputs are left out: they differ in each step of a loop.
        numbers = {
            name: value.constant
            for name, value in values.items()
            if name not in inputs and value is not None and value.constant is not None
        }
        key = id(graph), tuple(given.items())
        if key not in self._kinds:
            # The graph is kept, so that no other one gets its id.
            self._kinds[key] = graph, infer_graph(graph, given, numbers, self._opset)
        return self._kinds[key][1]

    def read_nodes(self, nodes: Sequence[NodeProto], known: Mapping[str, Kind]) -> None:
        """Add the results of nodes to the values.

        Parameters
        ----------
        nodes : sequence of onnx.NodeProto
        known : mapping of str to Kind
        """
        for proto in nodes:
            where = f"node {proto.name!r} ({proto.op_type})"
            inputs = [self.get(name, where) for name in proto.input]
            for name, value in zip(proto.output, self._results(proto, inputs, known), strict=False):
                self.values[name] = value

    def _results(
        self, proto: NodeProto, inputs: Sequence[Value], known: Mapping[str, Kind]
    ) -> list[Value]:
        names = [self._scope + name for name in proto.output]
        matrix = transpose(proto, inputs, names[0]) if names else None
        if matrix is not None:
            return [matrix]
        constants = fold(proto, inputs, self._opset)
        if constants is not None:
            return [
                Value(None, array.shape, array, name, array.dtype)
                for name, array in zip(names, constants, strict=False)
            ]
        node = Node(proto, inputs, self._opset, self.weights, self._scope)
        standard = proto.domain in ("", "ai.onnx")
        kind = proto.op_type if standard else f"{proto.domain}.{proto.op_type}"
        translate = rules.find(FORMAT, kind)
        if proto.domain == DOMAIN:
            translate = marked.call_operator
        if translate is None and standard:
            if kind in control.OPERATORS:
                return control.OPERATORS[kind](node, proto, self)
            translate = _OPERATORS.get(kind)
        if translate is None:
            node.fail(
                "this node type is not supported",
                f"add a rule: rules.register({FORMAT!r}, {kind!r}) on a function of the node",
            )
        found = translate(node)
        results = found if isinstance(found, list) else [found]
        _name_results(results, names, inputs)
        return [
            _value(result, known.get(name, Kind()))
            for name, result in zip(proto.output, results, strict=False)
        ]


def _name_results(results: Sequence[Any], names: Sequence[str], inputs: Sequence[Value]) -> None:
    """Give the nodes of results the names of the file, which translations need not pass on."""
    taken = {
        node
        for value in inputs
        if value is not None and value.symbol is not None
        for node, _ in value.symbol.edges
    }
    for result, name in zip(results, names, strict=False):
        if isinstance(result, Value):
            continue
        node, _ = result.edges[0]
        if name and not node.is_variable and node not in taken:
            # Operators add the suffix to the names of their outputs.
            node.name = name.removesuffix("_output")
            taken.add(node)


def _value(symbol: Any, kind: Kind) -> Value:
    """Return the value of a result; one without elements is a constant."""
    if isinstance(symbol, Value):
        return symbol
    if kind.shape is not None and 0 in kind.shape:
        sizes = tuple(size or 0 for size in kind.shape)
        return Value(None, sizes, np.zeros(sizes, kind.dtype or np.float32))
    return Value(symbol, kind.shape, dtype=kind.dtype)
