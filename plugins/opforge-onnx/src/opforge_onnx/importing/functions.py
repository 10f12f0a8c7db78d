"""`inline`: functions of a model, and nodes that the standard defines by other nodes."""

from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, defs, shape_inference
from onnx.inliner import inline_local_functions

from ..errors import ImportModelError

__all__ = ["inline", "nodes_of"]

#: Domain of functions for nodes that the standard defines by others.
_DOMAIN = "opforge.standard"
#: How deeply such nodes may be nested.
_DEPTH = 8


def inline(model: ModelProto, translated: Collection[str]) -> None:
    """Replace calls of functions by their nodes.

    Parameters
    ----------
    model : onnx.ModelProto
        Is changed.
    translated : collection of str
        Standard nodes that stay unchanged.
    """
    for _ in range(_DEPTH):
        calls = [node for node in nodes_of(model.graph) if _is_function(node, translated)]
        if not calls and not model.functions:
            return
        _expect_no_cycle({f.name: {n.op_type for n in f.node} for f in model.functions})
        light = _without_weights(model)
        calls = [node for node in nodes_of(light.graph) if _is_function(node, translated)]
        try:
            types = _types(light) if calls else {}
            for number, node in enumerate(calls):
                _define(light, node, types, f"{node.op_type}{number}")
            found = inline_local_functions(light)
        except Exception as error:
            kinds = sorted({node.op_type for node in calls} | {f.name for f in model.functions})
            raise ImportModelError(
                f"import of ONNX: functions ({', '.join(kinds)}) cannot be inlined: {error}"
            ) from error
        del model.graph.node[:], model.functions[:]
        model.graph.node.extend(found.graph.node)


def _expect_no_cycle(calls: Mapping[str, Collection[str]]) -> None:
    """Reject functions that call themselves, as their nodes would have no end."""
    try:
        tuple(TopologicalSorter(calls).static_order())
    except CycleError as error:
        raise ImportModelError(
            f"import of ONNX: functions call each other in a circle: {' -> '.join(error.args[1])}"
        ) from None


def nodes_of(graph: GraphProto) -> Iterator[NodeProto]:
    """Yield all nodes, also those of graphs in nodes."""
    for node in graph.node:
        yield node
        for item in node.attribute:
            for inner in (item.g, *item.graphs):
                yield from nodes_of(inner)


def _is_function(node: NodeProto, translated: Collection[str]) -> bool:
    if node.domain not in ("", "ai.onnx") or node.op_type in translated:
        return False
    if not defs.has(node.op_type):
        return False
    schema: Any = defs.get_schema(node.op_type)
    return bool(schema.has_function or schema.has_context_dependent_function)


def _without_weights(model: ModelProto) -> ModelProto:
    """Return a model whose weights are inputs, as the numbers would be copied several times."""
    light = ModelProto(ir_version=model.ir_version)
    light.opset_import.extend(model.opset_import)
    light.functions.extend(model.functions)
    graph = light.graph
    graph.name = model.graph.name
    for field in ("node", "input", "output", "value_info"):
        getattr(graph, field).extend(getattr(model.graph, field))
    inputs = {info.name for info in graph.input}
    for tensor in model.graph.initializer:
        if tensor.name in inputs:
            continue
        kind = graph.input.add(name=tensor.name).type.tensor_type
        kind.elem_type = tensor.data_type
        kind.shape.SetInParent()
        for size in tensor.dims:
            kind.shape.dim.add().dim_value = size
    return light


def _types(model: ModelProto) -> dict[str, TypeProto]:
    """Return the types of values, also of those in graphs of nodes."""

    def collect(graph: GraphProto) -> None:
        for info in (*graph.input, *graph.value_info, *graph.output):
            found[info.name] = info.type
        for node in graph.node:
            for item in node.attribute:
                for inner in (item.g, *item.graphs):
                    collect(inner)

    found: dict[str, TypeProto] = {}
    collect(shape_inference.infer_shapes(model, data_prop=True).graph)
    return found


def _define(model: ModelProto, node: NodeProto, types: Mapping[str, TypeProto], name: str) -> None:
    """Turn a node into the call of a function with the nodes that define it."""
    opset = max(item.version for item in model.opset_import if item.domain in ("", "ai.onnx"))
    schema: Any = defs.get_schema(node.op_type, opset)
    versions = schema.context_dependent_function_opset_versions or schema.function_opset_versions
    version = max((item for item in versions if item <= opset), default=0)
    if not version:  # not yet in this opset: the reader names the node
        return
    if schema.has_context_dependent_function:
        given = [types.get(item, TypeProto()).SerializeToString() for item in node.input]
        text = schema.get_context_dependent_function_with_opset_version(
            version, node.SerializeToString(), given
        )
    else:
        text = schema.get_function_with_opset_version(version)
    if not text:  # not for these types: the reader names the node
        return
    function = FunctionProto.FromString(text)
    function.domain, function.name = _DOMAIN, name
    for item in function.opset_import:  # other versions would not be inlined
        if item.domain in ("", "ai.onnx"):
            item.version = opset
    # Attributes with a default that the node does not have.
    own = {item.name for item in node.attribute}
    for key, attribute in schema.attributes.items():
        if key not in own and attribute.default_value.name:
            node.attribute.append(attribute.default_value)
    model.functions.append(function)
    if all(item.domain != _DOMAIN for item in model.opset_import):
        model.opset_import.add(domain=_DOMAIN, version=1)
    node.domain, node.op_type = _DOMAIN, name
