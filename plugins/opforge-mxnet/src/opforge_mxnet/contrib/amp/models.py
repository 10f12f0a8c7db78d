"""Conversion of models to mixed precision: graphs with parameters, and hybridized blocks."""

from collections.abc import Mapping
from typing import Any

from opforge.base.context import Context, current_context
from opforge.base.dtypes import dtype_of
from opforge.gluon import HybridBlock, SymbolBlock
from opforge.gluon.fixed_sizes import warn_of_fixed_sizes
from opforge.gluon.parameter_loading import load_into
from opforge.ndarray import NDArray
from opforge.symbol import Symbol, var
from opforge.symbol.variable_attributes import declared_type

from .converting import convert_symbol
from .rules import Condition

__all__ = ["convert_hybrid_block", "convert_model"]

Arrays = dict[str, NDArray]


def convert_model(
    sym: Symbol,
    arg_params: Arrays,
    aux_params: Arrays,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, Arrays, Arrays]:
    """Return a model's graph in mixed precision and its parameters, converted as needed.

    Parameters
    ----------
    sym : Symbol
    arg_params, aux_params : dict of str to NDArray
        Parameters, which are not modified.
    target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names
        As for `convert_symbol`.
    cast_optional_params : bool, default False
        Whether parameters that are only read in the target dtype are stored in it.

    Returns
    -------
    Symbol, dict, dict
    """
    assert isinstance(sym, Symbol), "First argument to convert_model should be Symbol"
    for which, given in (("Second", arg_params), ("Third", aux_params)):
        assert isinstance(given, dict), (
            f"{which} argument to convert_model should be a dict of name to ndarray"
        )
    data = [n for n in sym.list_inputs() if n not in arg_params and n not in aux_params]
    made = convert_symbol(
        *(sym, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops),
        *(excluded_sym_names, data, cast_optional_params),
    )
    return made, _in_declared_types(made, arg_params), _in_declared_types(made, aux_params)


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    ctx: Context | None = None,
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """Return the mixed-precision version of a hybridized block.

    Parameters
    ----------
    block : HybridBlock
        Block that was hybridized and called.
    target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names
        As for `convert_symbol`.
    ctx : Context, optional
        Context of the parameters; None: the current context.
    cast_optional_params : bool, default False
        As for `convert_model`.

    Raises
    ------
    RuntimeError
        The block has not been hybridized and called.
    """
    assert isinstance(block, HybridBlock), "block input should be a HybridBlock"
    found = None if block._graph is None else block._graph.last_trace()
    if found is None:
        raise RuntimeError(
            "Please first call block.hybridize() and then run forward with this block at least "
            "once before calling convert_hybrid_block."
        )
    warn_of_fixed_sizes(block, found)
    data = [name for name in found.symbol.list_inputs() if name not in found.parameters]
    made = convert_symbol(
        *(found.symbol, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops),
        *(excluded_sym_names, data, cast_optional_params),
    )
    values = {name: parameter._reduce() for name, parameter in found.parameters.items()}
    converted = SymbolBlock(made, [var(name) for name in data])
    for name, value in _in_declared_types(made, values).items():
        load_into(converted.params[name], value, ctx or current_context())
    return converted


def _in_declared_types(symbol: Symbol, arrays: Mapping[str, NDArray]) -> Arrays:
    """Return arrays cast to the dtypes of a graph's variables."""
    codes = {n.name: declared_type(n).code for n in symbol.nodes() if n.is_variable}
    dtypes = {name: dtype_of(code) for name, code in codes.items() if code >= 0}
    return {n: array.astype(dtypes.get(n, array.dtype), copy=False) for n, array in arrays.items()}
