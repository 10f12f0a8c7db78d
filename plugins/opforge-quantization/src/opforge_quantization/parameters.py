"""Parameters of quantized networks: conversion, and loading of files."""

from collections.abc import Mapping
from typing import Any

from opforge.plugin_api import F, sym

from .graph.rules import FILTERS, SCALE
from .weights import quantize_filters

__all__ = ["load_params", "load_sym", "quantize_params"]

_SUFFIX = "_quantize"


def quantize_params(
    qsym: Any, params: Mapping[str, Any], th_dict: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a quantized graph.

    Weights and biases that it reads as integers become int8 in the range of their values, or, for
    layers that are computed in one pass, in that of each filter. Others stay.

    Parameters
    ----------
    qsym : Symbol
        Quantized graph.
    params : mapping of str to NDArray
        Parameters of the original graph.
    th_dict : mapping of str to (float, float)
        Ranges of values that the graph reads as variables.
    """
    found: dict[str, Any] = {}
    for name in qsym.list_arguments():
        source = name.removesuffix(_SUFFIX)
        if source != name and source in params:
            value = params[source]
            arrays = F.contrib.quantize(value, F.min(value), F.max(value), out_type="int8")
            found.update(zip((name, f"{name}_min", f"{name}_max"), arrays, strict=True))
        elif (source := name.removesuffix(FILTERS)) != name and source in params:
            integers, scales = quantize_filters(params[source].asnumpy())
            found[name] = F.array(integers, dtype="int8")
            found[name + SCALE] = F.array(scales)
        elif name in params:
            found[name] = params[name]
        elif name.endswith(("_min", "_max")) and name[:-4] in th_dict:
            found[name] = F.array([th_dict[name[:-4]][name.endswith("_max")]])
    return found


def load_sym(found: Any, logger: Any = None) -> Any:
    """Return a symbol, read from a file if a path is given.

    Raises
    ------
    ValueError
        It is neither a symbol nor a path.
    """
    if isinstance(found, str):
        if logger:
            logger.info("Loading symbol from file %s", found)
        return sym.load(found)
    if isinstance(found, sym.Symbol):
        return found
    raise ValueError(f"expected a Symbol or the path of a symbol file, got {type(found).__name__}")


def load_params(params: Any, logger: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return arguments and auxiliary states, read from a file if a path is given.

    Raises
    ------
    ValueError
        It is neither a pair of dictionaries nor a path.
    """
    if isinstance(params, str):
        if logger:
            logger.info("Loading params from file %s", params)
        saved = F.load(params)
        return tuple(  # type: ignore[return-value]
            {key[4:]: value for key, value in saved.items() if key.startswith(kind)}
            for kind in ("arg:", "aux:")
        )
    if isinstance(params, tuple | list) and len(params) == 2:
        return params[0], params[1]
    raise ValueError(
        "expected the path of a parameter file, or dictionaries of arguments and auxiliary states, "
        f"got {type(params).__name__}"
    )
