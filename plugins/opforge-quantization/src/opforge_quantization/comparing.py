"""`layer_errors`: how far the layers of a quantized network are from the original ones."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from opforge.plugin_api import NDArrayIter, context

from .calibration.running import collect_layer_statistics
from .graph.folding import fold_batch_norms
from .operators.base import LEVELS

__all__ = ["layer_errors"]

_PREFIX = "quantized_"


def layer_errors(
    sym: Any,
    params: Mapping[str, Any],
    qsym: Any,
    qparams: Mapping[str, Any],
    inputs: Mapping[str, Any],
) -> dict[str, float]:
    """Return the error of each quantized layer, in the order of the network.

    It is the root mean square of the differences, in units of that of the original values. Errors
    of the layers before it are included.

    Parameters
    ----------
    sym : Symbol
        Graph in float32.
    params : mapping of str to NDArray
        Its parameters and auxiliary states.
    qsym : Symbol
        Graph from `quantize_model` or `quantize_model_mkldnn`.
    qparams : mapping of str to NDArray
        Its parameters and auxiliary states.
    inputs : mapping of str to NDArray
        Examples by the name of the input.

    Examples
    --------
    >>> from opforge import nd, sym
    >>> from opforge.contrib.quantization import quantize_model_mkldnn
    >>> from opforge.io import NDArrayIter
    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    >>> params, x = {"fc_weight": nd.array([[1, -2], [0.5, 0]])}, nd.array([[1.0, 2], [3, 4]])
    >>> small = quantize_model_mkldnn(
    ...     net, params, {}, calib_mode="naive", calib_data=NDArrayIter(x), label_names=None
    ... )
    >>> errors = layer_errors(net, params, small[0], small[1], {"data": x})
    >>> list(errors), 0 < errors["fc"] < 0.01
    (['fc'], True)
    """
    states = set(sym.list_auxiliary_states())
    args = {name: value for name, value in params.items() if name not in states}
    aux = {name: value for name, value in params.items() if name in states}
    folded, args, aux = fold_batch_norms(sym, args, aux, [])
    reals = _reals(_values(qsym, qparams, inputs))
    if not reals:
        return {}
    exact = _values(folded, {**args, **aux}, inputs, reals)
    return {
        name.removesuffix("_output"): _error(array, exact[name])
        for name, array in reals.items()
        if name in exact
    }


class _Recorder:
    """Collector that keeps the values."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def collect(self, name: bytes, array: Any) -> None:
        """Keep a value."""
        self.values[name.decode()] = array


def _values(
    symbol: Any,
    params: Mapping[str, Any],
    inputs: Mapping[str, Any],
    names: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return the values of a graph by name, by default all of them."""
    recorder = _Recorder()
    n_examples = len(next(iter(inputs.values())))
    examples = NDArrayIter(dict(inputs), batch_size=n_examples)
    layers = symbol.get_internals().list_outputs() if names is None else names
    device = context.current_context()
    collect_layer_statistics(symbol, params, examples, recorder, device, layers)
    return recorder.values


def _reals(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the real numbers of quantized layers, by the names of the original values."""
    found = {}
    for name, array in values.items():
        if not name.startswith(_PREFIX) or not name.endswith("_output"):
            continue
        stem = name.removesuffix("_output")
        low, high = (values.get(f"{stem}_{end}_output") for end in ("min", "max"))
        kind = np.dtype(array.dtype).name
        if kind == "float32":
            found[name.removeprefix(_PREFIX)] = array.asnumpy()
        elif kind in LEVELS and low is not None and high is not None:
            largest = max(abs(low.asscalar()), abs(high.asscalar()))
            real = array.asnumpy().astype(np.float32) * np.float32(largest / LEVELS[kind])
            found[name.removeprefix(_PREFIX)] = real
    return found


def _error(array: np.ndarray, exact: Any) -> float:
    want = exact.asnumpy().astype(np.float64)
    size = np.sqrt((want**2).mean())
    return float(np.sqrt(((array - want) ** 2).mean()) / size) if size else 0.0
