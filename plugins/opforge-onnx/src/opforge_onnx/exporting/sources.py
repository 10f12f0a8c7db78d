"""Networks as a symbol and its weights: from a block, from a symbol and arrays, from files."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import F, HybridBlock, gluon, sym

from ..errors import ExportError

__all__ = ["Network", "network_of"]


class Network(NamedTuple):
    """Graph with its weights by name, and its inputs in the order of a block's arguments."""

    symbol: Any
    weights: dict[str, np.ndarray]
    inputs: Sequence[str] = ()


def network_of(model: Any, params: Any, shapes: Sequence[tuple[int, ...]], dtypes: Any) -> Network:
    """Return the graph and the weights of a model.

    Parameters
    ----------
    model : HybridBlock, Symbol, str or path
        A path is that of a file ``NAME-symbol.json``.
    params : mapping, str, path or None
        Weights by name, which may have the prefixes ``arg:`` and ``aux:``; or their file. None for
        those of a block.
    shapes, dtypes : sequence
        Of the inputs; a block whose weights are not initialized yet is called with such arrays.
    """
    if isinstance(model, HybridBlock):
        return _of_block(model, shapes, dtypes)
    if isinstance(model, (str, os.PathLike)):
        model = sym.load(os.fspath(model))
    if not isinstance(model, sym.Symbol):
        raise ExportError(
            f"export to ONNX: the model is {type(model).__name__}, expected a HybridBlock, "
            "a Symbol or the path of a NAME-symbol.json"
        )
    if isinstance(params, (str, os.PathLike)):
        params = F.load(os.fspath(params)) or {}  # a file without arrays is an empty list
    if not isinstance(params, Mapping):
        raise ExportError(
            f"export to ONNX: params is {type(params).__name__}, expected arrays by name "
            "or the path of a .params file"
        )
    return Network(model, {_plain(name): _numbers(array) for name, array in params.items()})


def _plain(name: str) -> str:
    """Return the name of a weight without the prefix of MXNet's files."""
    return name[4:] if name.startswith(("arg:", "aux:")) else name


def _numbers(array: Any) -> np.ndarray:
    """Return the numbers of an array, which a dense one of the CPU shares."""
    return np.asarray(array)


def _of_block(block: Any, shapes: Sequence[tuple[int, ...]], dtypes: Any) -> Network:
    parameters = block.collect_params()
    if not all(gluon.parameter.is_known(param.shape) for param in parameters.values()):
        block(*(F.zeros(shape, dtype=dtype) for shape, dtype in zip(shapes, dtypes, strict=True)))
    names = gluon.tracing.data_names(len(shapes))
    found = block(*(sym.Variable(name) for name in names))
    outputs = found if isinstance(found, sym.Symbol) else sym.Group(_flat(found))
    weights = {name: _numbers(param.data()) for name, param in parameters.items()}
    return Network(outputs, weights, names)


def _flat(found: Any) -> list[Any]:
    """Return the symbols of nested lists."""
    return [found] if isinstance(found, sym.Symbol) else [x for part in found for x in _flat(part)]
