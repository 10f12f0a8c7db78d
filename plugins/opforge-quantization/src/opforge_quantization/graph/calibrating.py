"""`calibrate_symbol`: calibrated ranges as attributes of a quantized graph."""

from collections.abc import Mapping
from typing import Any

from .rows import Entry, Graph
from .rules import CALIBRATED_INPUTS, CALIBRATED_OUTPUTS

__all__ = ["calibrate_symbol"]

_PREFIX = "quantized_"


def calibrate_symbol(qsym: Any, th_dict: Mapping[str, Any] | None) -> Any:
    """Return a quantized graph with the ranges of its values.

    Parameters
    ----------
    qsym : Symbol
        From `quantize_symbol`.
    th_dict : mapping of str to (float, float)
        Smallest and largest number by name of the value in the original graph.
    """
    if not th_dict:
        return qsym
    graph = Graph.of(qsym)
    for node in graph.nodes():
        if node.operator in CALIBRATED_INPUTS:
            name = node.inputs[0].name
        elif node.operator in CALIBRATED_OUTPUTS:
            name = Entry(node).name
        else:
            continue
        found = th_dict.get(name.removeprefix(_PREFIX))
        if found is not None:
            node.attributes["min_calib_range"] = f"{float(found[0]):.6f}"
            node.attributes["max_calib_range"] = f"{float(found[1]):.6f}"
    return graph.symbol()
