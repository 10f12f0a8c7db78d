"""`calibrate_symbol`: calibrated ranges as attributes of a quantized graph."""

from collections.abc import Mapping
from typing import Any

from .rows import Entry, Graph
from .rules import CALIBRATED_INPUTS, has_calibrated_output

__all__ = ["calibrate_symbol"]

_PREFIX = "quantized_"
#: Six decimals of smaller numbers differ from them by more than a fraction of 2**-14.
_SMALL = 0.01


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
        elif has_calibrated_output(node):
            name = Entry(node).name
        else:
            continue
        found = th_dict.get(name.removeprefix(_PREFIX))
        if found is not None:
            node.attributes["min_calib_range"] = _text(found[0])
            node.attributes["max_calib_range"] = _text(found[1])
    return graph.symbol()


def _text(end: Any) -> str:
    """Return an end of a range with six decimals, as in MXNet, or more if it is small."""
    number = float(end)
    return f"{number:.9g}" if 0 < abs(number) < _SMALL else f"{number:.6f}"
