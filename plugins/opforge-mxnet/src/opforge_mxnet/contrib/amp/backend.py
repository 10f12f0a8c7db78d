"""`MixedPrecision`: the subgraph backend ``AMP``, which computes products in 16 bits."""

from typing import Any

from opforge.plugin_api import SubgraphBackend

from .converting import convert_symbol
from .listing import narrow_dtype
from .rules import Condition

__all__ = ["MixedPrecision"]


class MixedPrecision(SubgraphBackend):
    """Insert the casts of `convert_symbol` into a graph; its inputs and parameters stay float32.

    Parameters
    ----------
    target_dtype : {"bfloat16", "float16"}
    target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names : list, optional
        As for `convert_symbol`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import nn
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> net.hybridize(backend="AMP", target_dtype="bfloat16")
    >>> net(nd.ones((1, 3))).dtype.__name__
    'float32'
    """

    def __init__(
        self,
        target_dtype: Any = "bfloat16",
        target_dtype_ops: list[str] | None = None,
        fp32_ops: list[str] | None = None,
        conditional_fp32_ops: list[Condition] | None = None,
        excluded_sym_names: list[str] | None = None,
    ) -> None:
        self._target = narrow_dtype("MixedPrecision", target_dtype)
        self._lists = (target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names)

    def transform(self, graph: Any) -> Any:
        """Return the converted graph."""
        data = [name for name in graph.inputs if name not in graph.args and name not in graph.aux]
        return convert_symbol(graph.symbol, self._target, *self._lists, data)
