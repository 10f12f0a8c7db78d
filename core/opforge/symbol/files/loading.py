"""Symbols from JSON: files of opforge, of MXNet 1.x and of its older versions.

Every problem of a file is a `ValueError` that names the node. Operators of the bill of materials
that are not installed are reported together, before any node is read. For a file without a bill,
the usual error names the plugin that provides the operator.
"""

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...attribute import stored
from ...base.errors import OpforgeError, SymbolFileError
from ...base.files import open_file
from ...base.node_attributes import HIDDEN, is_free
from ...base.numpy_semantics import is_np_shape
from ...op.calling.binding import graph_handle
from ...op.declaring.attribute import UNSET, unknown_attribute
from ...op.declaring.errors import origin
from ...op.registry.registry import OPERATORS, lookup
from ...op.rules.table import find as find_rule
from ..composition import auto_variable, input_names
from ..custom import custom_operation
from ..inference.node_types import infer_node
from ..node import Edge, Node, Operation
from ..symbol import Symbol
from ..variable_attributes import check_declared, declared_type
from .bill_of_materials import read_bill
from .requirements import check_bill, chosen_providers
from .saving import OPERATOR_PROVIDER, OPERATOR_VERSION
from .subgraphs import control_operation

__all__ = ["load", "load_json"]

#: Attributes of MXNet's operators without an effect here, with their allowed values (None: all).
_IGNORED: dict[str, tuple[str, ...] | None] = {
    "cudnn_algo_verbose": None,
    "cudnn_off": None,
    "cudnn_tune": None,
    "is_int": None,
    "keep_highest": ("False", "0"),
    "max_calib_range": None,
    "min_calib_range": None,
    "target_shape": ("()", "[]", "(0,0)", "(0, 0)"),
    "use_length": ("False", "0"),
    "workspace": None,
}
_TEXT, _NUMBERS = frozenset({str}), frozenset({int})
_DECODER = json.JSONDecoder(strict=False)
#: Version from which `argmax` keeps ``axis=-1``; see `_upgrade_attributes`.
_KEEPS_FLAT_ARGMAX = 905


def load(fname: "str | os.PathLike[str]") -> Symbol:
    """Read a symbol from a JSON file, of opforge or of MXNet.

    Parameters
    ----------
    fname : str or path

    Raises
    ------
    SymbolFileError
        The file is not a symbol's JSON.
    OperatorNotFoundError
        It uses operators that are not installed; the plugins that provide them are named.

    Warns
    -----
    UserWarning
        A plugin's version may be incompatible with the one that the graph was saved with: another
        major number, or before 1.0 another minor number.
    """
    if not isinstance(fname, str | os.PathLike):
        raise TypeError(f"fname need to be string, got {type(fname).__name__}")
    with open_file(fname, "r", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    try:
        return _symbol(text)
    except OpforgeError as error:
        error.args = (f"{os.fspath(fname)}: {error}", *error.args[1:])
        raise


def load_json(json_str: str) -> Symbol:
    """Return the symbol that `Symbol.tojson` of opforge or MXNet wrote as `json_str`.

    Examples
    --------
    >>> from opforge import sym
    >>> net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    >>> load_json(net.tojson()).list_arguments()
    ['x', 'fc_weight', 'fc_bias']
    """
    if not isinstance(json_str, str):
        raise TypeError(f"json_str required to be string, got {type(json_str).__name__}")
    return _symbol(json_str)


class _Source(NamedTuple):
    """Origin of a file: MXNet's version, the provider of each operator, the bill of materials."""

    version: int
    providers: dict[str, str]
    listed: frozenset[str]
    #: Whether sizes of 0 are unknown, though `util.np_shape` is on now.
    has_unknown_zeros: bool


def _symbol(text: str) -> Symbol:
    try:
        graph = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise SymbolFileError(f"not valid JSON: {error}") from None
    rows = _field(graph, "nodes", list, "the graph")
    heads = _field(graph, "heads", list, "the graph")
    bill = read_bill(graph.get("attrs"))
    check_bill(bill)
    listed = frozenset(material.name for material in bill)
    unknown_zeros = is_np_shape() and "is_np_shape" not in (graph.get("attrs") or {})
    source = _Source(_version(graph), chosen_providers(bill), listed, unknown_zeros)
    try:
        return _graph(rows, heads, source, "")
    except RecursionError:
        raise SymbolFileError("its subgraphs are nested too deeply") from None


def _graph(rows: list[Any], heads: list[Any], source: _Source, within: str) -> Symbol:
    """Return the graph of a file, or a subgraph `within` a node."""
    nodes: list[Node] = []
    for position, row in enumerate(rows):
        nodes.append(_node(row, position, nodes, source, within))
    return Symbol([_edge(head, nodes, f"a head of the graph{within}") for head in heads])


def _subgraph(row: Any, source: _Source, where: str) -> Symbol:
    what = f"a subgraph of {where}"
    rows, heads = (_field(row, key, list, what) for key in ("nodes", "heads"))
    return _graph(rows, heads, source, f" in {what}")


def _field(row: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(row, dict):
        raise SymbolFileError(f"{where} is {row!r:.60}, expected an object with {key!r}")
    value = row.get(key)
    if not isinstance(value, kind):
        raise SymbolFileError(
            f"{key!r} of {where} is {value!r:.60}, expected a {kind.__name__}; is this a symbol's "
            "JSON?"
        )
    return value


def _version(graph: dict[str, Any]) -> int:
    """Return the version of MXNet that wrote the file; files before 0.9 do not contain it."""
    attributes = graph.get("attrs")
    found = attributes.get("mxnet_version") if isinstance(attributes, dict) else None
    if isinstance(found, list) and len(found) == 2 and isinstance(found[1], int):
        return found[1]
    return 800


def _node(row: Any, position: int, nodes: Sequence[Node], source: _Source, within: str) -> Node:
    name = _field(row, "name", str, f"node {position}{within}")
    where = f"node {position} ({name!r}){within}"
    operator = _field(row, "op", str, where)
    attributes = _attributes(row, where)
    inputs = [_edge(entry, nodes, where) for entry in _field(row, "inputs", list, where)]
    try:
        if operator == "null":
            variable = Node(name, attrs=stored(attributes))
            check_declared(variable)
            if source.has_unknown_zeros:
                _mark_unknown_sizes(variable)
            return variable
        graphs: list[Symbol] = []
        if row.get("subgraphs"):
            graphs += [_subgraph(g, source, where) for g in _field(row, "subgraphs", list, where)]
            if _read_rule(operator) is None:
                return _control_node(operator, name, attributes, graphs, inputs, where)
        return _operator_node(operator, name, attributes, inputs, source, where, graphs)
    except SymbolFileError:
        raise
    except OpforgeError as error:
        # The class describes the problem (no such operator, a bad attribute); add the location.
        error.args = (f"{where} of the symbol: {error}", *error.args[1:])
        raise


def _mark_unknown_sizes(variable: Node) -> None:
    """Write the unknown sizes of a variable's shape as -1 instead of 0."""
    shape = declared_type(variable).shape
    if not shape:
        variable.attrs.pop("__shape__", None)
    elif 0 in shape:
        variable.attrs["__shape__"] = str(tuple([size or -1 for size in shape]))


def _attributes(row: dict[str, Any], where: str) -> dict[str, str]:
    """Return the attributes of a node: "attrs", before 1.0 "attr", before 0.9 "param" as well."""
    found: dict[str, str] = {}
    for key in ("param", "attr", "attrs"):
        if key in row:
            part = row[key]
            if not isinstance(part, dict) or not _TEXT.issuperset(map(type, part.values())):
                raise SymbolFileError(
                    f"{key!r} of {where} is {part!r:.60}, expected strings by name"
                )
            found.update(part)
    return found


def _edge(entry: Any, nodes: Sequence[Node], where: str) -> Edge:
    if not (
        isinstance(entry, list) and len(entry) in (2, 3) and _NUMBERS.issuperset(map(type, entry))
    ):
        raise SymbolFileError(
            f"{where}: {entry!r:.60} is not an input, expected [node, output] or [node, output, "
            "version]"
        )
    at, index = entry[:2]
    if not 0 <= at < len(nodes):
        raise SymbolFileError(
            f"{where} refers to node {at}, expected one of the {len(nodes)} before it"
        )
    node = nodes[at]
    if not 0 <= index < node.num_visible:
        raise SymbolFileError(
            f"{where} refers to output {index} of {node.name!r}, which has {node.num_visible}"
        )
    return node, index


def _operator_node(
    operator: str,
    name: str,
    attributes: dict[str, str],
    inputs: list[Edge],
    source: _Source,
    where: str,
    graphs: list[Symbol],
) -> Node:
    own: dict[str, str] = {}
    free: dict[str, str] = {}
    for_inputs: dict[str, str] = {}
    for key, value in attributes.items():
        group = free if is_free(key) else for_inputs if key.endswith(_INPUT_SUFFIXES) else own
        group[key] = value
    _upgrade_attributes(operator, own, source.version)
    provider = free.pop(OPERATOR_PROVIDER, source.providers.get(operator))
    rule = _read_rule(operator) if provider is None else None
    if rule is not None:
        operator, own = rule(operator, own, len(inputs), *([graphs] if graphs else []))
    full_name = f"{provider}::{operator}" if provider else operator
    # Files of MXNet do not specify versions.
    default_version = "1" if operator in source.listed else None
    full_name = _operator_version(full_name, free.pop(OPERATOR_VERSION, default_version))
    operation = _operation(full_name, own)
    names = input_names(operation)
    if len(inputs) > len(names):
        raise SymbolFileError(
            f"{where} has {len(inputs)} inputs, operator '{operator}' takes {len(names)}: "
            f"{', '.join(names) or 'none'}"
        )
    node_attributes = stored(free)
    # Files before 0.9 lack auxiliary states; they are variables that composition creates.
    for key in names[len(inputs) :]:
        inputs.append((auto_variable(name, key, operation, node_attributes), 0))
    if for_inputs:
        _pass_to_inputs(for_inputs, dict(zip(names, inputs, strict=True)), where)
    node = Node(name, operation, inputs, node_attributes)
    infer_node(node)
    return node


def _control_node(
    operator: str,
    name: str,
    attributes: dict[str, str],
    graphs: list[Symbol],
    inputs: list[Edge],
    where: str,
) -> Node:
    own = dict(attributes)
    free = {key: own.pop(key) for key in [*own] if is_free(key)}
    operation, given = control_operation(operator, own, graphs, inputs, where)
    node = Node(name, operation, given, stored(free))
    infer_node(node)
    return node


#: ``weight_lr_mult`` of an operator is ``lr_mult`` of its input ``weight``.
_INPUT_SUFFIXES = tuple(f"_{key}" for key in HIDDEN)


def _pass_to_inputs(attributes: dict[str, str], inputs: dict[str, Edge], where: str) -> None:
    """Move attributes meant for the variable of an input to it, as MXNet 0.x wrote them."""
    for key, value in attributes.items():
        hidden = next(name for name in HIDDEN if key.endswith(f"_{name}"))
        owner = key.removesuffix(f"_{hidden}")
        if owner not in inputs:
            raise SymbolFileError(
                f"{where} has the attribute {key!r} for its input {owner!r}, but takes only "
                f"{', '.join(inputs)}"
            )
        inputs[owner][0].attrs[f"__{hidden}__"] = value


def _read_rule(operator: str) -> Any:
    """Return the rule of a plugin for reading an operator of MXNet, or None."""
    return find_rule("read", operator) if OPERATORS.find(operator) is None else None


def _upgrade_attributes(operator: str, attributes: dict[str, str], version: int) -> None:
    """Change the attributes of an operator to those that MXNet 1.9.1 would write."""
    flat = version < _KEEPS_FLAT_ARGMAX and operator in ("argmax", "argmin")
    if flat and attributes.get("axis") == "-1":
        del attributes["axis"]  # -1 meant all axes


def _operator_version(operator: str, written: str | None) -> str:
    """Return the operator in the version that a file was written with, if that still exists.

    If not, return the newest version, unless the file needs a newer one.
    """
    if operator == "Custom" or written is None:
        return operator
    entry = lookup(operator)
    here = entry.operator_version
    if not written.isdecimal() or int(written) > here:
        raise SymbolFileError(
            f"{origin(entry)} has version {here}, the file was written with version {written}; "
            f"upgrade {entry.provider or 'the operator'}"
        )
    if int(written) == here:
        return operator
    kept = {(other.provider, other.operator_version) for other in OPERATORS.versions(entry.name)}
    return f"{operator}@{written}" if (entry.provider, int(written)) in kept else operator


def _operation(operator: str, attributes: dict[str, str]) -> Operation:
    """Return an operator from attribute texts, which are stored unchanged."""
    if operator == "Custom":
        rest = {key: value for key, value in attributes.items() if key != "op_type"}
        if "op_type" not in attributes:
            raise SymbolFileError("an operator 'Custom' has no op_type")
        return custom_operation(attributes["op_type"], rest)
    entry = lookup(operator)
    declared = entry.prop_class.attributes
    significant = {}
    for key, value in attributes.items():
        if key not in declared and not _is_default(key, value):
            significant[key] = value
    if significant:
        raise unknown_attribute(entry.name, significant, declared, entry.prop_class.arguments)
    bound = graph_handle(entry).bound(tuple([attributes.get(key, UNSET) for key in declared]))
    return Operation(entry.prop_class.name, bound, attributes)


def _is_default(key: str, value: str) -> bool:
    if value == "None":
        return True
    allowed = _IGNORED.get(key, ())
    return allowed is None or value in allowed
