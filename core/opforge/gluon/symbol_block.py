"""`SymbolBlock`: a graph as a block, and loading of exported blocks."""

import warnings
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile
from typing import Any

from .. import symbol as sym
from ..base.context import Context
from ..base.dtypes import dtype_of
from ..base.errors import OpforgeError
from ..base.nesting import flatten, unflatten
from ..ndarray import NDArray
from ..ndarray.serialization import open_saved
from ..symbol import Group, Symbol
from ..symbol.interpreter import interpret
from ..symbol.node import Node
from ..symbol.symbol import outputs_of
from ..symbol.variable_attributes import FACTORS, declared_factor, declared_storage, declared_type
from .hybrid_block import HybridBlock
from .named_arrays import named_arrays
from .nesting_formats import count_arrays, format_of, structure_of
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .parameter_loading import brief_list, load_all
from .tracing import data_names

__all__ = ["SymbolBlock"]


class SymbolBlock(HybridBlock):
    """A block that computes a symbol; variables that are not inputs become parameters.

    Parameters
    ----------
    outputs : Symbol or list of Symbol
    inputs : Symbol or list of Symbol
        Variables of the graph.
    params : ParameterDict, optional
        Parameters to share.

    Multipliers of the learning rate and of weight decay, and initializers, which variables declare
    (`lr_mult=2` in `sym.var`), become those of the parameters.

    Raises
    ------
    OpforgeError
        An input is not a variable.

    Examples
    --------
    >>> from opforge import nd, sym
    >>> from opforge.gluon import SymbolBlock
    >>> x = sym.var("x")
    >>> SymbolBlock(x * 2, x)(nd.ones(2)).asnumpy().tolist()
    [2.0, 2.0]
    """

    def __init__(self, outputs: Any, inputs: Any, params: ParameterDict | None = None) -> None:
        super().__init__(prefix="", params=params)
        # Variables of a graph have full names, without the prefix of a shared dictionary.
        self._params = ParameterDict("", params)
        found: list[Symbol] = []
        self._structure = flatten(_row_of_one(outputs), Symbol, found)
        self._symbol = Group(found)
        given = [inputs] if isinstance(inputs, Symbol) else list(inputs)
        self._input_names = [_variable_name(item) for item in given]
        self._nested_inputs: Any = [0] * len(given)
        states = set(self._symbol.list_auxiliary_states())
        inherited = _inherited_initializers(self._symbol.nodes())
        for node in (*self._symbol.argument_nodes(), *self._symbol.state_nodes()):
            if node.name in self._input_names:
                continue
            kind = declared_type(node)
            assert declared_storage(node) == "default", (
                f"SymbolBlock doesn't support Parameter '{node.name}' because its storage type is "
                "sparse; hybrid blocks have dense parameters"
            )
            # A parameter of a shared dictionary keeps what it has.
            is_shared = self.params._find(node.name) is not None
            self.params.get(
                node.name,
                shape=kind.shape or None,
                dtype=dtype_of(max(kind.code, 0)),
                allow_deferred_init=True,
                **({} if is_shared else _settings(node, node.name in states, inherited)),
            )
        # Files of an enclosing network use names without the common prefix.
        shared = _common_length(self.params.keys())
        self._reg_params = {name[shared:]: param for name, param in self.params.items()}
        self._active = True

    @property
    def _cached_graph(self) -> tuple[Any, ...]:
        return [sym.var(name) for name in self._input_names], self._symbol

    @property
    def _in_format(self) -> Any:
        return self._nested_inputs

    @_in_format.setter
    def _in_format(self, form: Any) -> None:
        self._expect_arrays("_in_format", form, len(self._input_names))
        self._nested_inputs = form

    @property
    def _out_format(self) -> Any:
        return format_of(self._structure)

    @_out_format.setter
    def _out_format(self, form: Any) -> None:
        self._expect_arrays("_out_format", form, len(self._symbol.edges))
        self._structure = structure_of(form)

    def _expect_arrays(self, what: str, form: Any, expected: int) -> None:
        found = count_arrays(form)
        if found != expected:
            raise ValueError(
                f"{self.name}: {what} {form!r:.60} has {found} arrays; expected {expected}"
            )

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: str | Sequence[str],
        param_file: str | None = None,
        ctx: Context | Sequence[Context] | None = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> "SymbolBlock":
        """Return the block of a graph exported by opforge or MXNet.

        Parameters
        ----------
        symbol_file : str
            For instance ``net-symbol.json``.
        input_names : str or list of str
            Names of the variables that are inputs.
        param_file : str, optional
            For instance ``net-0000.params``.
        ctx : Context or list of Context, optional
            Contexts of the parameters; default: the current context.
        allow_missing : bool
            Ignore parameters that are missing in the file.
        ignore_extra : bool
            Ignore arrays of the file that are not parameters of the graph.

        Raises
        ------
        AssertionError
            A parameter is missing in the file.
        ValueError
            The file has an array that is not a parameter of the graph.
        """
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        block = SymbolBlock(sym.load(symbol_file), [sym.var(name) for name in names])
        if param_file is not None:
            block._read(param_file, ctx, allow_missing, ignore_extra)
        return block

    def _read(self, filename: str, ctx: Any, allow_missing: bool, ignore_extra: bool) -> None:
        """Load parameters, whose names in the file may begin with ``arg:`` and ``aux:``."""
        with open_saved(filename) as saved:
            arrays = named_arrays(saved, f"file {filename!r}")
            values = {n.removeprefix("arg:").removeprefix("aux:"): v for n, v in arrays.items()}
            missing = sorted(set(self.params.keys()) - set(values))
            assert allow_missing or not missing, (
                f"Parameter '{missing[0]}' is missing in file '{filename}', which has "
                f"{brief_list(sorted(values))}. Set allow_missing=True to ignore missing "
                "parameters."
            )
            extra = sorted(set(values) - set(self.params.keys()))
            if extra and not ignore_extra:
                raise ValueError(
                    f"Parameter '{extra[0]}' loaded from file '{filename}' is not used by the "
                    "graph. Set ignore_extra=True to ignore."
                )
            load_all(dict(self.params.items()), values, ctx, True, "saved")

    def _graph_to_export(self) -> tuple[Symbol, dict[str, Parameter]]:
        """Return the graph, which needs no call, and the parameters that have values."""
        if self._all_backends:
            symbol, parameters = super()._graph_to_export()
            return _with_inputs(symbol, self._symbol, self._input_names), parameters
        params = dict(self.params.items())
        known = {name: param for name, param in params.items() if param._data is not None}
        if len(known) < len(params):
            missing = brief_list(sorted(params.keys() - known.keys()))
            warnings.warn(
                f"{self.name}.export: parameters {missing} have no values yet and are left out of "
                "the file; initialize the block and call it once to export them",
                stacklevel=3,
            )
        return self._symbol, known

    def hybridize(
        self, active: bool = True, backend: Any = None, clear: bool = True, **kwargs: Any
    ) -> None:
        """Accept MXNet's flags and backends; a graph always runs compiled."""
        super().hybridize(True, backend, clear, **kwargs)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **params: Any) -> Any:
        """Substitute inputs and parameters for the variables of the graph.

        This is called with arrays only if shapes depend on values or an array has no elements; the
        graph then runs operator by operator.
        """
        given: list[Any] = []
        flatten((x, *args), (NDArray, Symbol), given)
        if len(given) != len(self._input_names):
            raise ValueError(
                f"{self.name} takes {len(self._input_names)} inputs "
                f"({', '.join(self._input_names)}), got {len(given)}"
            )
        values = dict(zip(self._input_names, given, strict=True))
        values.update(zip(self.params.keys(), params.values(), strict=True))
        if F is sym:
            results = outputs_of(self._symbol(**values))
        else:
            results = interpret(self._symbol, values)
        return unflatten(self._structure, iter(results))


def _with_inputs(traced: Symbol, symbol: Symbol, names: Sequence[str]) -> Symbol:
    """Return a traced graph with the variables of `symbol` as inputs."""
    attributes = {node.name: node.attrs for node in symbol.nodes() if node.is_variable}
    inputs = {
        of_trace: Symbol([(Node(name, attrs=dict(attributes.get(name, {}))), 0)])
        for of_trace, name in zip(data_names(len(names)), names, strict=True)
    }
    known = set(traced.list_inputs())
    named: Symbol = traced(**{name: x for name, x in inputs.items() if name in known})
    return named


def _row_of_one(outputs: Any) -> Any:
    """Unwrap a list of one output, and wrap several outputs in a list, as in MXNet."""
    if isinstance(outputs, list | tuple) and len(outputs) == 1:
        return outputs[0]
    if isinstance(outputs, Symbol) and len(outputs.edges) > 1:
        return outputs_of(outputs)
    return outputs


def _inherited_initializers(nodes: Iterable[Node]) -> set[Node]:
    """Return the variables that have the initializer of the operator that reads them.

    An operator passes its attributes to the variables that it creates, of weights and biases; as in
    MXNet, no parameter is initialized by them.
    """
    return {
        source
        for node in nodes
        if not node.is_variable and "__init__" in node.attrs
        for source, _ in node.inputs
        if source.is_variable and source.attrs.get("__init__") == node.attrs["__init__"]
    }


def _settings(node: Node, is_state: bool, inherited: Collection[Node]) -> dict[str, Any]:
    """Return whether gradients are computed, and what a variable declares of its parameter."""
    settings: dict[str, Any] = {"grad_req": "null" if is_state else "write"}
    for key in FACTORS:
        if key in node.attrs:
            settings[key.strip("_")] = declared_factor(node.name, key, node.attrs[key])
    if "__init__" in node.attrs and node not in inherited:
        settings["init"] = node.attrs["__init__"]
    return settings


def _common_length(names: Collection[str]) -> int:
    """Return the length of the longest common prefix."""
    # All other names share the common prefix of the smallest and the largest one.
    ends = min(names, default=""), max(names, default="")
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False)))


def _variable_name(item: Any) -> str:
    if not isinstance(item, Symbol) or len(item.edges) != 1 or not item.edges[0][0].is_variable:
        raise OpforgeError(
            f"Input symbols must be variable, but {item!r:.60} is an output of operators"
        )
    return item.edges[0][0].name
