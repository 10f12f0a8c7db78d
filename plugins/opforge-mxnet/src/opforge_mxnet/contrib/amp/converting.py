"""`convert_symbol`: insert casts to a 16-bit type and back into a float32 graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge import symbol as F
from opforge.base.dtypes import FLOAT_NAMES, code_of, dtype_of, element_type
from opforge.base.errors import DTypeError
from opforge.op.declaring.inference import infer_types
from opforge.op.declaring.validation import UNKNOWN_TYPE
from opforge.symbol import Symbol
from opforge.symbol.node import Edge, Node
from opforge.symbol.variable_attributes import declared_type

from .listing import narrow_dtype
from .rules import FP32, WIDEST, Condition, Rules

__all__ = ["convert_symbol"]

_FLOATS = {code_of(name) for name in FLOAT_NAMES}
_SINGLE = code_of(FP32)


def convert_symbol(
    sym: Symbol,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    data_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """Return a graph that computes products in 16 bits, and range-sensitive operators in float32.

    Its inputs and outputs stay float32. On a processor bfloat16 saves time where it has the
    instructions (`opforge doctor` names them), and float16 saves memory alone.

    Parameters
    ----------
    sym : Symbol
        Graph in float32.
    target_dtype : {"float16", "bfloat16"}
    target_dtype_ops, fp32_ops, conditional_fp32_ops : list, optional
        Replacements of `list_lp16_ops`, `list_fp32_ops` and `list_conditional_fp32_ops`.
    excluded_sym_names : list of str, optional
        Names of nodes whose inputs are not cast.
    data_names : list of str, optional
        Inputs that are data; default: those without ``__dtype__``. The others, parameters, get
        one.
    cast_optional_params : bool, default False
        Whether parameters that are only read in the target dtype are stored in it.

    Examples
    --------
    >>> from opforge import sym
    >>> y = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    >>> convert_symbol(y).get_internals().list_outputs()[:2]
    ['x', 'x_amp_cast_float16']
    """
    assert isinstance(sym, Symbol), "First argument to convert_symbol should be Symbol"
    target = narrow_dtype("convert_symbol", target_dtype)
    rules = Rules(target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names, target)
    inputs = [node for node in sym.nodes() if node.is_variable]
    if data_names is None:
        data_names = [node.name for node in inputs if "__dtype__" not in node.attrs]
    parameters = {node.name for node in inputs}.difference(data_names)
    narrow = _read_narrow(sym, rules, parameters) if cast_optional_params else set()
    return _Conversion(rules, parameters, narrow).of(sym)


def _read_narrow(symbol: Symbol, rules: Rules, parameters: set[str]) -> set[str]:
    """Return the parameters that are inputs only of operators in the target dtype."""
    readers: dict[str, set[str | None]] = {}
    for node in symbol.nodes():
        for at, (source, _) in enumerate(node.inputs):
            assert node.operation is not None
            is_state = at >= node.operation.n_arguments
            readers.setdefault(source.name, set()).add(None if is_state else rules.of(node))
    return {name for name in parameters if readers.get(name) == {rules.target_dtype}}


class _Conversion:
    """A graph under construction and the dtypes of its nodes."""

    def __init__(self, rules: Rules, parameters: set[str], narrow: set[str]) -> None:
        self._rules = rules
        self._parameters = parameters
        self._narrow = narrow
        self._types: dict[Edge, int] = {}
        self._casts: dict[tuple[Edge, str], Edge] = {}

    def of(self, symbol: Symbol) -> Symbol:
        """Return the graph that computes a symbol; its outputs are float32."""
        made: dict[Node, Node] = {}
        for node in symbol.nodes():
            inputs = [(made[source], index) for source, index in node.inputs]
            made[node] = self._variable(node) if node.is_variable else self._call(node, inputs)
        return Symbol([self._in_type((made[node], at), FP32) for node, at in symbol.edges])

    def _variable(self, node: Node) -> Node:
        made = Node(node.name, attrs=dict(node.attrs))
        if node.name in self._narrow:
            made.attrs["__dtype__"] = str(element_type(self._rules.target_dtype).mxnet_code)
        elif node.name in self._parameters:
            made.attrs.setdefault("__dtype__", str(element_type(FP32).mxnet_code))
        code = declared_type(made).code
        self._types[made, 0] = _SINGLE if code == UNKNOWN_TYPE else code
        return made

    def _call(self, node: Node, inputs: list[Edge]) -> Node:
        """Return the call with inputs cast to the dtypes that the rules or the operator require."""
        operation = node.operation
        assert operation is not None
        count = operation.n_arguments
        rule = self._rules.of(node)
        if rule == WIDEST:
            rule = self._widest(inputs[:count])
        arguments = self._all_in_type(inputs[:count], rule)
        try:
            codes = self._inferred(operation, arguments)
        except DTypeError:  # the operator rejects inputs of different dtypes
            arguments = self._all_in_type(inputs[:count], FP32)
            codes = self._inferred(operation, arguments)
        made = Node(node.name, operation, [*arguments, *inputs[count:]], dict(node.attrs))
        self._types.update(((made, at), code) for at, code in enumerate(codes))
        return made

    def _inferred(self, operation: Any, arguments: Sequence[Edge]) -> Sequence[int]:
        codes = [self._types[edge] for edge in arguments]
        return infer_types(operation.prop, operation.entry, codes)[1]

    def _widest(self, edges: Sequence[Edge]) -> str | None:
        """Return the widest of several floating-point dtypes."""
        found = {self._types[edge] for edge in edges} & _FLOATS
        if len(found) < 2:
            return None
        return max((np.dtype(dtype_of(code)) for code in found), key=lambda one: one.itemsize).name

    def _all_in_type(self, edges: Sequence[Edge], dtype: str | None) -> list[Edge]:
        return [edge if dtype is None else self._in_type(edge, dtype) for edge in edges]

    def _in_type(self, edge: Edge, dtype: str) -> Edge:
        """Return an edge cast to a dtype, unless it already has it or is of integer type."""
        code = self._types[edge]
        if code == code_of(dtype) or code not in _FLOATS:
            return edge
        if (edge, dtype) not in self._casts:
            node, index = edge
            name = f"{node.output_names()[index]}_amp_cast_{dtype}"
            (cast,) = F.amp_cast(Symbol([edge]), dtype=dtype, name=name).edges
            self._casts[edge, dtype] = cast
            self._types[cast] = code_of(dtype)
        return self._casts[edge, dtype]
