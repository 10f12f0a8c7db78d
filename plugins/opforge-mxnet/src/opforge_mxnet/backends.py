"""Subgraph backends with MXNet's names, which leave graphs unchanged.

MXNet's backends fuse operators for oneDNN. opforge fuses when it compiles a graph, whatever the
backend.
"""

from opforge.plugin_api import SubgraphBackend

__all__ = ["UnchangedGraph"]


class UnchangedGraph(SubgraphBackend):
    """Backend that replaces nothing.

    Parameters
    ----------
    **options : object
        Accepted for compatibility with MXNet; without effect.

    Examples
    --------
    >>> from opforge import sym
    >>> net = sym.exp(sym.var("x"), name="y")
    >>> net.get_backend_symbol("MKLDNN").list_outputs()
    ['y_output']
    """

    def __init__(self, **options: object) -> None:
        """Accept any options."""
