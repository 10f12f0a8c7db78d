"""Conversion of networks that consist of a symbol and parameters."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from opforge.plugin_api import DataIter, context

from .calibration.collectors import LayerHistogramCollector, LayerOutputMinMaxCollector
from .calibration.running import collect_layer_statistics
from .calibration.thresholds import optimal_thresholds
from .graph.calibrating import calibrate_symbol
from .graph.folding import fold_batch_norms
from .graph.fusing import mark_layers
from .graph.rewriting import quantize_symbol
from .parameters import load_sym, quantize_params

__all__ = ["calib_graph", "quantize_graph", "quantize_model", "quantize_model_mkldnn"]

Model = tuple[Any, dict[str, Any], dict[str, Any]]

_DTYPES = ("int8", "uint8", "auto")
_GRANULARITIES = ("tensor-wise", "channel-wise")


def _check_options(
    quantized_dtype: str, quantize_granularity: str, **excluded: Sequence[str] | None
) -> None:
    """Reject options that have another value or type."""
    for name, given in excluded.items():
        if not isinstance(given, list | None):
            raise ValueError(f"{name} must be a list of strings, got {type(given).__name__}")
    if quantized_dtype not in _DTYPES:
        raise ValueError(
            f"unknown quantized_dtype {quantized_dtype} received, expected `int8`, `uint8` or "
            "`auto`"
        )
    if quantize_granularity not in _GRANULARITIES:
        raise ValueError(
            f"unknown quantize_granularity {quantize_granularity} received, expected "
            "`tensor-wise` or `channel-wise`"
        )


def _check_context(ctx: Any) -> None:
    if not isinstance(ctx, context.Context):
        raise ValueError(f"currently only supports single ctx, while received {ctx}")


def quantize_graph(
    sym: Any,
    arg_params: Mapping[str, Any],
    aux_params: dict[str, Any],
    ctx: Any = None,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Any = None,
    logger: Any = None,
) -> tuple[Any, dict[str, Any], dict[str, Any], Any]:
    """Return a network in 8-bit integers without ranges, and a collector to calibrate it.

    Parameters
    ----------
    sym : Symbol or str
        Graph in float32, or the path of its file.
    arg_params, aux_params : dict of str to NDArray
        Its parameters.
    ctx : Context, optional
        Default: the current one.
    excluded_sym_names, excluded_op_names : list of str, optional
        Names of nodes and operators that stay in float32.
    calib_mode : {"none", "naive", "entropy", "customize"}
        Kind of collector: extremes for naive, histograms for entropy.
    quantized_dtype : {"int8", "uint8", "auto"}
    quantize_mode : {"full", "smart"}
    quantize_granularity : {"tensor-wise", "channel-wise"}
    LayerOutputCollector : object, optional
        Collector for calib_mode 'customize'.
    logger : logging.Logger, optional

    Returns
    -------
    Symbol, dict, dict, collector
        Pass them to `calib_graph` once the collector has seen examples.
    """
    device = context.current_context() if ctx is None else ctx
    _check_context(device)
    _check_options(quantized_dtype, quantize_granularity, excluded_sym_names=excluded_sym_names)
    qsym, layers = quantize_symbol(
        load_sym(sym, logger),
        device,
        excluded_sym_names,
        excluded_op_names,
        list(arg_params),
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        calib_mode not in (None, "none"),
    )
    collector = _new_collector(calib_mode, quantized_dtype, layers, LayerOutputCollector, logger)
    return qsym, quantize_params(qsym, arg_params, {}), aux_params, collector


def _new_collector(mode: Any, dtype: str, layers: list[str], custom: Any, logger: Any) -> Any:
    if mode in (None, "none"):
        return None
    if mode == "entropy":
        return LayerHistogramCollector(include_layer=layers, logger=logger)
    if mode == "naive":
        return LayerOutputMinMaxCollector(dtype, include_layer=layers, logger=logger)
    if mode == "customize" and custom is not None:
        return custom
    raise ValueError(
        f"unknown calibration mode {mode} received, expected `none`, `naive`, `entropy` or "
        "`customize`, the last with a LayerOutputCollector"
    )


def calib_graph(
    qsym: Any,
    arg_params: Mapping[str, Any],
    aux_params: dict[str, Any],
    collector: Any,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    logger: Any = logging,
) -> Model:
    """Return a quantized network with the ranges of a collector.

    Parameters
    ----------
    qsym : Symbol
        From `quantize_graph`.
    arg_params, aux_params : dict of str to NDArray
        Parameters of the original network.
    collector : object
        It has seen examples.
    calib_mode : {"naive", "entropy", "customize"}
    quantized_dtype : {"int8", "uint8", "auto"}
    logger : logging.Logger, optional

    Raises
    ------
    ValueError
        The mode is another one.
    """
    if calib_mode == "entropy":
        ranges = optimal_thresholds(collector.hist_dict, quantized_dtype, logger=logger)
    elif calib_mode in ("naive", "customize"):
        ranges = collector.min_max_dict
    else:
        raise ValueError(
            f"unknown calibration mode {calib_mode} received, expected `naive`, `entropy` or "
            "`customize`"
        )
    qsym = calibrate_symbol(qsym, ranges)
    return qsym, quantize_params(qsym, arg_params, ranges), aux_params


def quantize_model(
    sym: Any,
    arg_params: Mapping[str, Any],
    aux_params: dict[str, Any],
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Any = None,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    calib_data: Any = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> Model:
    """Return a network in 8-bit integers: its graph and its parameters.

    Parameters
    ----------
    sym : Symbol or str
        Graph in float32, or the path of its file.
    arg_params, aux_params : dict of str to NDArray
        Its parameters.
    data_names, label_names : sequence of str
        Names of the arrays of a batch; labels have no effect.
    ctx : Context, optional
        Default: the current one.
    excluded_sym_names, excluded_op_names : list of str, optional
        Names of nodes and operators that stay in float32.
    calib_mode : {"none", "naive", "entropy"}
        none: ranges are computed in each call; naive: they are those of the examples; entropy: they
        preserve the distribution of the values of the examples.
    calib_data : DataIter, optional
        Examples; required unless calib_mode is 'none'.
    num_calib_examples : int, optional
        Number of examples; default: all.
    quantized_dtype : {"int8", "uint8", "auto"}
        auto: uint8 for values that are not negative, else int8.
    quantize_mode : {"smart", "full"}
        full: quantize all that can be; smart: cheap operators only between expensive ones.
    quantize_granularity : {"tensor-wise", "channel-wise"}
    logger : logging.Logger, optional

    Examples
    --------
    >>> import numpy as np
    >>> from opforge import nd, sym
    >>> from opforge.io import NDArrayIter
    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    >>> params = {"fc_weight": nd.array([[1, -2], [0.5, 0]]), "fc_bias": nd.array([1, 2])}
    >>> data = NDArrayIter(np.array([[1.0, 2], [3, 4]]), batch_size=2)
    >>> qsym, args, aux = quantize_model(net, params, {}, calib_mode="naive", calib_data=data)
    >>> args["fc_weight_quantize"].asnumpy().tolist()
    [[64, -127], [32, 0]]
    """
    device = context.current_context() if ctx is None else ctx
    excluded = {
        "excluded_sym_names": excluded_sym_names,
        "excluded_op_names": excluded_op_names,
    }
    _check_options(quantized_dtype, quantize_granularity, **excluded)
    if calib_mode not in (None, "none"):
        _check_context(device)
        _check_examples(calib_mode, calib_data)
    original = load_sym(sym, logger)
    qsym, args, aux, collector = quantize_graph(
        original,
        arg_params,
        aux_params,
        device,
        **excluded,
        calib_mode=calib_mode,
        quantized_dtype=quantized_dtype,
        quantize_mode=quantize_mode,
        quantize_granularity=quantize_granularity,
        logger=logger,
    )
    if collector is None:
        return qsym, args, aux
    params = {**arg_params, **aux_params}
    n_examples = collect_layer_statistics(
        original,
        params,
        calib_data,
        collector,
        device,
        collector.include_layer,
        num_calib_examples,
        data_names,
    )
    if logger:
        logger.info("Collected layer outputs from FP32 model using %d examples", n_examples)
    return calib_graph(qsym, arg_params, aux_params, collector, calib_mode, quantized_dtype, logger)


def _check_examples(calib_mode: Any, calib_data: Any) -> None:
    if calib_mode not in ("naive", "entropy"):
        raise ValueError(
            f"unknown calibration mode {calib_mode} received, expected `none`, `naive`, or "
            "`entropy`"
        )
    if calib_data is None:
        raise ValueError(f"calib_data must be provided when calib_mode={calib_mode}")
    if not isinstance(calib_data, DataIter):
        raise ValueError(
            f"calib_data must be of DataIter type when calib_mode={calib_mode}, while received "
            f"type {type(calib_data)}"
        )


def quantize_model_mkldnn(
    sym: Any, arg_params: Mapping[str, Any], aux_params: dict[str, Any], **options: Any
) -> Model:
    """Return a network in 8-bit integers, after the fusions of MXNet's backend of this name.

    Parameters
    ----------
    sym, arg_params, aux_params, **options
        As for `quantize_model`.

    Raises
    ------
    ValueError
        The context is not a CPU.
    """
    ctx = options.get("ctx") or context.current_context()
    _check_context(ctx)
    if ctx.device_type != "cpu":
        raise ValueError(f"quantize_model_mkldnn supports only the CPU, got {ctx}")
    excluded = [
        *(options.get("excluded_sym_names") or []),
        *(options.get("excluded_op_names") or []),
    ]
    fused = load_sym(sym).get_backend_symbol("MKLDNN_QUANTIZE")
    fused, args, aux = fold_batch_norms(fused, arg_params, aux_params, excluded)
    qsym, args, aux = quantize_model(mark_layers(fused), args, aux, **options)
    return qsym.get_backend_symbol("MKLDNN_QUANTIZE"), args, aux
