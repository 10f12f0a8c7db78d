"""Translation of the nodes of a symbol, each by the rule of its operator.

An operator without a rule is expanded if its declaration composes it of other operators.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.plugin_api import F, OperatorProp, OpforgeError, expanded, rules

from ..errors import ExportError
from ..operators.kernels import KERNELS
from .call import Call
from .graph import Graph
from .types import types_of
from .value import Value

__all__ = ["FORMAT", "Translation"]

#: Operators that are computed at once for weights, such as the packed ones of recurrent layers.
REARRANGING = frozenset(
    {"Concat", "Reshape", "_rnn_param_concat", "expand_dims", "slice_axis", "squeeze", "transpose"}
)
#: Operators whose rules read sizes from the output where they may change, not from attributes.
RESIZABLE = frozenset(
    {"Reshape", "_arange", "_full", "_ones", "_zeros", "broadcast_to", "slice_axis"}
)
#: Kind of the rules, and name of the exporter.
FORMAT = "onnx"


class Translation:
    """Translates symbols into one ONNX graph.

    Parameters
    ----------
    graph : Graph
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def outputs_of(
        self,
        symbol: Any,
        inputs: Mapping[str, Value],
        prefix: str = "",
        for_larger: Any = None,
    ) -> list[Value]:
        """Translate all nodes of a symbol and return its outputs.

        Parameters
        ----------
        symbol : Symbol
        inputs : mapping of str to Value
            Inputs and weights by the name of their variable.
        prefix : str, default ""
            Of the names of nodes.
        for_larger : Symbol, optional
            The same symbol for larger inputs, if attributes of its operators have other sizes.
        """
        for_larger = symbol if for_larger is None else for_larger
        values = _values_of(symbol, inputs, for_larger)
        resized = _resized_nodes(symbol, for_larger)
        # Programs that show or compare layers find them by these names.
        layers = {} if prefix else _layer_names(symbol)
        made: dict[tuple[Any, int], Value] = {}
        for node in symbol.nodes():
            if node.is_variable:
                # A variable without a value, such as a label, is an error only if a rule reads it.
                made[node, 0] = inputs.get(node.name, values[node, 0])
                continue
            outputs = [values[node, index] for index in range(node.num_visible)]
            call = self._call(node, [made[edge] for edge in node.inputs], outputs, prefix)
            call.for_larger = resized.get(node)
            names = self._translate(node.operation, call)
            for index, name in enumerate(names):
                made[node, index] = values[node, index]._replace(name=name)
                if (node, index) in layers:
                    self._graph.name_layer(name, layers[node, index])
        return [made[edge] for edge in symbol.edges]

    def _call(
        self, node: Any, inputs: Sequence[Value], outputs: Sequence[Value], prefix: str
    ) -> Call:
        prop, entry = node.operation.prop, node.operation.entry
        operator = prop.name if isinstance(prop, OperatorProp) else entry.name
        return Call(self._graph, prefix + node.name, operator, inputs, outputs)

    def _translate(self, operation: Any, call: Call) -> list[str]:
        """Return the names of the visible outputs of a call."""
        prop, entry, operator = operation.prop, operation.entry, call.operator
        if operator in REARRANGING and all(call.weight(value) is not None for value in call.inputs):
            return [self._constant(prop, call)]
        call.require(
            not getattr(prop, "blocked", False),
            "arrays of blocks of channels are internal to opforge",
            "leave out blocked=True",
        )
        call.require_for_all_sizes(
            operator in RESIZABLE or call.for_larger is None,
            "its attributes depend on sizes of the inputs that may change",
        )
        rule = rules.find(FORMAT, operator)
        if rule is None and getattr(prop, "elementwise_kernel", None) is not None:
            rule = KERNELS.get(prop.elementwise_kernel)
        if rule is not None:
            found = _apply(rule, prop, call, entry)
            names = [found] if isinstance(found, str) else list(found)
        elif operation.is_composed:
            call.require(
                not operation.shapes_from_values,
                "it is composed by values, which are unknown before the graph runs",
                "compute it before the exported graph, or add a rule",
            )
            names = self._expand(operation, call)
        else:
            raise _no_rule(call, entry)
        if len(names) < len(call.outputs) or not all(names):
            raise ExportError(
                f"rule {FORMAT}:{operator} returned {names!r}, expected the names of "
                f"{len(call.outputs)} outputs"
            )
        return names

    def _constant(self, prop: Any, call: Call) -> str:
        """Return the name of the result for constant inputs, computed now."""
        arrays = [F.array(call.weight(value), dtype=value.dtype) for value in call.inputs]
        found = getattr(F, call.operator)(*arrays, **prop.attribute_strings())
        return self._graph.add_weight(f"{call.name}/constant", found.asnumpy())

    def _expand(self, operation: Any, call: Call) -> list[str]:
        """Return the outputs of an operator that is composed of others."""
        dtypes = [value.dtype for value in call.inputs]
        parts = expanded(operation, [value.shape for value in call.inputs], dtypes)
        for_larger = None
        if any(value.open_axes for value in call.inputs):
            sizes = [value.larger or value.shape for value in call.inputs]
            for_larger = expanded(operation, sizes, dtypes)
            call.require_for_all_sizes(
                _kinds(parts) == _kinds(for_larger),
                "what it is composed of depends on sizes of the inputs that may change",
            )
        named = {f"input{index}": value for index, value in enumerate(call.inputs)}
        outputs = self.outputs_of(parts, named, f"{call.name}/", for_larger)
        return [value.name for value in outputs]


def _kinds(symbol: Any) -> list[str]:
    """Return the operators of all nodes in order."""
    return ["" if node.is_variable else node.operation.entry.name for node in symbol.nodes()]


def _resized_nodes(symbol: Any, for_larger: Any) -> dict[Any, Any]:
    """Return the declarations that differ in the same symbol for larger inputs, by node."""
    if symbol is for_larger:
        return {}
    pairs = zip(symbol.nodes(), for_larger.nodes(), strict=True)
    return {
        node: other.operation.prop
        for node, other in pairs
        if not node.is_variable
        and node.operation.prop.attribute_strings() != other.operation.prop.attribute_strings()
    }


def _values_of(
    symbol: Any, inputs: Mapping[str, Value], for_larger: Any
) -> dict[tuple[Any, int], Value]:
    """Return all values of a symbol without names."""
    dtypes = {name: value.dtype for name, value in inputs.items()}
    types = types_of(symbol, {name: value.shape for name, value in inputs.items()}, dtypes)
    if not any(value.open_axes for value in inputs.values()):
        return {edge: Value("", *kind) for edge, kind in types.items()}
    shapes = {name: value.larger or value.shape for name, value in inputs.items()}
    larger = types_of(for_larger, shapes, dtypes).values()
    return {
        edge: Value("", *kind, shape)
        for (edge, kind), (shape, _) in zip(types.items(), larger, strict=True)
    }


def _layer_names(symbol: Any) -> dict[tuple[Any, int], str]:
    """Return the names of the outputs of all operators."""
    internals = symbol.get_internals()
    return dict(zip(internals.edges, internals.list_outputs(), strict=True))


def _apply(rule: Any, prop: Any, call: Call, entry: Any) -> Any:
    """Return the result of a rule, which may be for an operator of another distribution."""
    try:
        return rule(prop, call)
    except OpforgeError:
        raise
    except Exception as error:
        if entry.provider in rules.providers(call.operator).get(FORMAT, ()):
            raise
        raise ExportError(
            f"export to ONNX: node {call.name!r}: rule {FORMAT}:{call.operator} does not fit the "
            f"operator of {entry.provider_text or 'the program'}: {type(error).__name__}: {error}; "
            "add a rule for it, or pin one"
        ) from error


def _no_rule(call: Call, entry: Any) -> ExportError:
    """Return the error for an operator that nothing translates."""
    provider = entry.provider_text or "the program"
    return ExportError(
        f"export to ONNX: node {call.name!r}: no rule for operator {call.operator!r} of "
        f"{provider}; compose it of operators that have one, or add a rule: entry point "
        f'"{FORMAT}:{call.operator}" in the group "opforge.rules", or '
        f"rules.register({FORMAT!r}, {call.operator!r})"
    )
