"""`convert_symbol`: a graph of float32 with conversions to float16 and back, as lists say."""

from collections.abc import Sequence
from typing import Any

from opforge import symbol as F
from opforge.base.dtypes import DTYPES, code_of
from opforge.base.errors import DTypeError
from opforge.op.declaring.answers import UNKNOWN_TYPE
from opforge.op.declaring.inference import infer_types
from opforge.symbol import Symbol
from opforge.symbol.declared import declared_type
from opforge.symbol.node import Edge, Node

from .listing import expect_float16
from .rules import FP16, FP32, WIDEST, Condition, Rules

__all__ = ["convert_symbol"]

_CODES = {name: code_of(name) for name in (FP16, FP32)}
_FLOATS = {code_of(name) for name in ("float16", "float32", "float64")}


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
    """Return a graph whose products are computed in float16, and what needs its range in float32.

    Its inputs and outputs stay float32. On a processor float16 saves memory, not time.

    Parameters
    ----------
    sym : Symbol
        A graph of float32.
    target_dtype : {"float16"}
    target_dtype_ops, fp32_ops, conditional_fp32_ops : list, optional
        What takes the place of `list_lp16_ops`, `list_fp32_ops` and `list_conditional_fp32_ops`.
    excluded_sym_names : list of str, optional
        Names of nodes in front of which nothing is converted, where they take what comes.
    data_names : list of str, optional
        The inputs that are data; default: those without ``__dtype__``. The others, parameters, get
        one.
    cast_optional_params : bool, default False
        Whether parameters that are read in float16 alone are float16 themselves.

    Examples
    --------
    >>> from opforge import sym
    >>> y = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    >>> convert_symbol(y).get_internals().list_outputs()[:2]
    ['x', 'x_amp_cast_float16']
    """
    assert isinstance(sym, Symbol), "First argument to convert_symbol should be Symbol"
    expect_float16("convert_symbol", target_dtype)
    rules = Rules(target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names)
    inputs = [node for node in sym.nodes() if node.is_variable]
    if data_names is None:
        data_names = [node.name for node in inputs if "__dtype__" not in node.attrs]
    parameters = {node.name for node in inputs}.difference(data_names)
    narrow = _read_narrow(sym, rules, parameters) if cast_optional_params else set()
    return _Conversion(rules, parameters, narrow).of(sym)


def _read_narrow(symbol: Symbol, rules: Rules, parameters: set[str]) -> set[str]:
    """Return the parameters that are inputs of operators in float16 and of nothing else."""
    readers: dict[str, set[str | None]] = {}
    for node in symbol.nodes():
        for at, (source, _) in enumerate(node.inputs):
            assert node.operation is not None
            is_state = at >= node.operation.n_arguments
            readers.setdefault(source.name, set()).add(None if is_state else rules.of(node))
    return {name for name in parameters if readers.get(name) == {FP16}}


class _Conversion:
    """A graph that is being made, and the types of what it computes."""

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
            made.attrs["__dtype__"] = str(_CODES[FP16])
        elif node.name in self._parameters:
            made.attrs.setdefault("__dtype__", str(_CODES[FP32]))
        code = declared_type(made).code
        self._types[made, 0] = _CODES[FP32] if code == UNKNOWN_TYPE else code
        return made

    def _call(self, node: Node, inputs: list[Edge]) -> Node:
        """Return the call with inputs in the types that the rules, or the operator, ask for."""
        operation = node.operation
        assert operation is not None
        count = operation.n_arguments
        rule = self._rules.of(node)
        if rule == WIDEST:
            rule = self._widest(inputs[:count])
        arguments = self._all_in_type(inputs[:count], rule)
        try:
            codes = self._inferred(operation, arguments)
        except DTypeError:  # an operator that takes no inputs of different types
            arguments = self._all_in_type(inputs[:count], FP32)
            codes = self._inferred(operation, arguments)
        made = Node(node.name, operation, [*arguments, *inputs[count:]], dict(node.attrs))
        self._types.update(((made, at), code) for at, code in enumerate(codes))
        return made

    def _inferred(self, operation: Any, arguments: Sequence[Edge]) -> Sequence[int]:
        codes = [self._types[edge] for edge in arguments]
        return infer_types(operation.prop, operation.entry, codes)[1]

    def _widest(self, edges: Sequence[Edge]) -> str | None:
        """Return the widest of different types of floating point."""
        found = {self._types[edge] for edge in edges} & _FLOATS
        widest = max((DTYPES[code] for code in found), key=lambda dtype: dtype().itemsize)
        return None if len(found) < 2 else widest.__name__

    def _all_in_type(self, edges: Sequence[Edge], dtype: str | None) -> list[Edge]:
        return [edge if dtype is None else self._in_type(edge, dtype) for edge in edges]

    def _in_type(self, edge: Edge, dtype: str) -> Edge:
        """Return an edge converted to a type, unless it has it or is of whole numbers."""
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
