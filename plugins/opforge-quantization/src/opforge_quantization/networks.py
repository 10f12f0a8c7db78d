"""Conversion of Gluon networks."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opforge.plugin_api import F, context, gluon, sym

from .calibration.batches import as_data_iter
from .calibration.running import collect_layer_statistics
from .graph.folding import fold_batch_norms
from .graph.fusing import mark_layers
from .models import calib_graph, quantize_graph
from .parameters import load_params

__all__ = ["quantize_net", "quantize_net_v2"]


def quantize_net_v2(
    network: Any,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: Sequence[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Any = None,
    LayerOutputCollector: Any = None,
    logger: Any = None,
) -> Any:
    """Return a block that computes a network in 8-bit integers.

    Parameters
    ----------
    network : HybridBlock
        Network in float32.
    quantized_dtype : {"auto", "int8", "uint8"}
        auto: uint8 for values that are not negative, else int8.
    quantize_mode : {"full", "smart"}
        full: quantize all that can be; smart: cheap operators only between expensive ones.
    quantize_granularity : {"tensor-wise", "channel-wise"}
    exclude_layers : list of str, optional
        Names of nodes that stay in float32.
    exclude_layers_match : list of str, optional
        Parts of such names.
    exclude_operators : list of str, optional
        Names of operators that stay in float32.
    calib_data : DataIter, DataLoader or other iterable, optional
        Examples; required unless calib_mode is 'none'.
    data_shapes : list of DataDesc, optional
        Names and shapes of the inputs; required without `calib_data`.
    calib_mode : {"none", "naive", "entropy", "customize"}
        none: ranges are computed in each call; naive: they are those of the examples; entropy: they
        preserve the distribution of the values of the examples.
    num_calib_examples : int, optional
        Number of examples; default: all.
    ctx : Context, optional
        Default: the current one.
    LayerOutputCollector : object, optional
        Collector for calib_mode 'customize'.
    logger : logging.Logger, optional

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> net = nn.Dense(2, in_units=2)
    >>> net.initialize()
    >>> x = nd.array([[1.0, -1]])
    >>> quantized = quantize_net_v2(net, calib_data=[x], calib_mode="naive")
    >>> bool(abs(quantized(x) - net(x)).max().asscalar() < 1e-2)
    True
    """
    device = context.current_context() if ctx is None else ctx
    examples = None
    if calib_data is not None:
        examples, shapes = as_data_iter(calib_data)
        data_shapes = data_shapes or shapes
    if not data_shapes:
        raise ValueError("data_shapes required: pass it, or calib_data")
    symbol, args, aux, n_inputs = _export(network, list(data_shapes), device)
    excluded = list(exclude_layers or [])
    excluded += [
        node.name
        for node in symbol.nodes()
        if any(part in node.name for part in exclude_layers_match or ())
    ]
    if logger:
        logger.info("These layers have been excluded %s", excluded)
    symbol, args, aux = fold_batch_norms(symbol, args, aux, [*excluded, *(exclude_operators or [])])
    qsym, qargs, qaux, collector = quantize_graph(
        mark_layers(symbol),
        args,
        aux,
        device,
        excluded,
        exclude_operators,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        LayerOutputCollector,
        logger,
    )
    names = [item.name for item in data_shapes[:n_inputs]]
    if collector is not None:
        if examples is None:
            raise ValueError(f"calib_data must be provided when calib_mode={calib_mode}")
        layers = getattr(collector, "include_layer", None) or symbol.get_internals().list_outputs()
        params = {**args, **aux}
        n_examples = collect_layer_statistics(
            symbol, params, examples, collector, device, layers, num_calib_examples, names
        )
        if logger:
            logger.info(
                "Collected layer output values from FP32 model using %d examples", n_examples
            )
        qsym, qargs, qaux = calib_graph(
            qsym, args, aux, collector, calib_mode, quantized_dtype, logger
        )
    return _block(qsym, qargs, qaux, names, device)


def quantize_net(
    network: Any,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: Sequence[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Any = None,
    logger: Any = None,
) -> Any:
    """Return a block that computes a network in 8-bit integers; see `quantize_net_v2`."""
    return quantize_net_v2(
        network,
        quantized_dtype=quantized_dtype,
        quantize_mode=quantize_mode,
        exclude_layers=exclude_layers,
        exclude_layers_match=exclude_layers_match,
        exclude_operators=exclude_operators,
        calib_data=calib_data,
        data_shapes=data_shapes,
        calib_mode=calib_mode,
        num_calib_examples=num_calib_examples,
        ctx=ctx,
        logger=logger,
    )


def _export(network: Any, data_shapes: list[Any], device: Any) -> tuple[Any, Any, Any, int]:
    """Return graph, parameters and number of inputs of a network.

    Further arrays at the end, which the network does not take, are labels.
    """
    network.hybridize()
    while True:
        try:
            network(*[F.zeros(item.shape, ctx=device) for item in data_shapes])
            break
        except TypeError:
            if len(data_shapes) == 1:
                raise
            data_shapes.pop()
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "net"))
        network.export(prefix, epoch=0)
        args, aux = load_params(f"{prefix}-0000.params")
        return sym.load(f"{prefix}-symbol.json"), args, aux, len(data_shapes)


def _block(symbol: Any, args: Any, aux: Any, names: Sequence[str], device: Any) -> Any:
    """Return a block with a graph and its parameters."""
    with tempfile.TemporaryDirectory() as folder:
        graph, params = str(Path(folder, "net-symbol.json")), str(Path(folder, "net-0000.params"))
        symbol.save(graph)
        saved = {f"arg:{name}": value for name, value in args.items()}
        saved.update({f"aux:{name}": value for name, value in aux.items()})
        F.save(params, saved)
        return gluon.SymbolBlock.imports(graph, list(names), params, ctx=device, ignore_extra=True)
