"""Number of multiply-adds of a block's call, from the shapes in its graph.

Counted are the products of matrices, convolutions, recurrent layers and attention. Elementwise
operators, normalization and pooling are not, as in other libraries' tables.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from opforge.plugin_api import HybridBlock, sym

from ..arrays import record_symbols

__all__ = ["multiply_adds"]

Shape = tuple[int, ...]
#: Shapes of the inputs by argument, shape of the first output, declaration -> multiply-adds.
_Rule = Callable[[Mapping[str, Shape], Shape, Any], int]


def multiply_adds(block: Any, arguments: tuple[Any, ...]) -> int | None:
    """Return the multiply-adds of ``block(*arguments)``; None if it has no graph.

    Parameters
    ----------
    block : Block
        Its parameters are initialized.
    arguments : tuple
        NDArrays, also in lists.
    """
    if not isinstance(block, HybridBlock):
        return None
    try:
        symbols = record_symbols(block, arguments, "summary_data")
    except Exception:  # the code of a block may require arrays, and raise any error without them
        return None
    return _graph_cost(sym.Group(symbols)) if symbols else 0


def _graph_cost(symbol: Any) -> int | None:
    internals = symbol.get_internals()
    edges = [(id(node), index) for node, index in internals.edges]
    shapes = dict(zip(edges, internals.infer_shape_partial()[1], strict=True))
    total = 0
    for node in symbol.nodes():
        rule = None if node.operation is None else _RULES.get(node.operation.name)
        if rule is not None:
            prop = node.operation.prop
            inputs = [shapes[id(source), index] for source, index in node.inputs]
            if not all(inputs):  # a shape depends on values
                return None
            known = dict(zip(prop.list_arguments(), inputs, strict=False))
            total += rule(known, shapes[id(node), 0], prop)
    return total


def _convolution(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    del prop
    return prod(output) * prod(known["weight"][1:])


def _deconvolution(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    del output, prop
    return prod(known["data"]) * prod(known["weight"][1:])


def _dot(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    return prod(output) * known["lhs"][0 if prop.transpose_a else -1]


def _batch_dot(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    return prod(output) * known["lhs"][-2 if prop.transpose_a else -1]


def _recurrent(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    del output
    steps, batch, _ = known["data"]
    layers = prop.num_layers * (2 if prop.bidirectional else 1)
    biases = 2 * _GATES[prop.mode] * prop.state_size * layers
    return int(steps * batch * (prod(known["parameters"]) - biases))


_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def _attention(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    del output, prop
    query, key, value = (known[name] for name in ("query", "key", "value"))
    # (..., length, depth); with heads, the depths of all heads are next to each other.
    return prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


def _self_scores(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    return int(prod(output) * (known["queries_keys_values"][-1] // 3 // prop.heads))


def _cross_scores(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    return int(prod(output) * (known["queries"][-1] // prop.heads))


def _values(known: Mapping[str, Shape], output: Shape, prop: Any) -> int:
    return int(prod(known["attention"]) * (output[-1] // prop.heads))


_RULES: dict[str, _Rule] = {
    "Convolution": _convolution,
    "Convolution_v1": _convolution,
    "Deconvolution": _deconvolution,
    "FullyConnected": _convolution,
    "RNN": _recurrent,
    "_RNN_prediction": _recurrent,
    "_contrib_DeformableConvolution": _convolution,
    "_contrib_ModulatedDeformableConvolution": _convolution,
    "_contrib_interleaved_matmul_encdec_qk": _cross_scores,
    "_contrib_interleaved_matmul_encdec_valatt": _values,
    "_contrib_interleaved_matmul_selfatt_qk": _self_scores,
    "_contrib_interleaved_matmul_selfatt_valatt": _values,
    "batch_dot": _batch_dot,
    "dense": _convolution,
    "dot": _dot,
    "scaled_dot_product_attention": _attention,
}
