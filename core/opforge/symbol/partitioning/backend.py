"""`SubgraphBackend`: base of the objects that replace parts of graphs, and their registry."""

from typing import Any

from ...base.errors import OpforgeError
from ...op.registry.named import NameRegistry
from ..symbol import Symbol
from .subgraph import GraphNode, Subgraph

__all__ = ["SubgraphBackend", "create", "names", "register"]


class SubgraphBackend:
    """Base of all subgraph backends, which `Symbol.optimize_for` and `hybridize` name.

    Subclasses define `supports` and `replace`, or `transform`, or all of them. Options of the
    program are passed to the constructor as keywords; each call of `optimize_for` creates a
    new instance.

    Examples
    --------
    >>> from opforge import nd, subgraph, sym
    >>> @subgraph.register
    ... class Squaring(subgraph.SubgraphBackend):
    ...     '''Computes x * x by `square`.'''
    ...     def supports(self, node):
    ...         return node.operator == "elemwise_mul" and len(set(node.input_names)) == 1
    ...     def joins(self, producer, consumer):
    ...         return False
    ...     def replace(self, subgraph):
    ...         return sym.square(subgraph.nodes[0].inputs[0])
    >>> x = sym.var("x")
    >>> net = sym.elemwise_mul(x, x, name="y").optimize_for("squaring")
    >>> net.list_outputs(), [node.operation.name for node in net.nodes() if node.operation]
    (['y_output'], ['square'])
    """

    def supports(self, node: GraphNode) -> bool:
        """Return whether the backend can compute a node; by default it cannot.

        Supported nodes that edges connect are grouped into subgraphs as large as possible. A
        subgraph never contains the ends of a path through other nodes, since its replacement would
        wait for itself.

        Parameters
        ----------
        node : GraphNode
        """
        return False

    def joins(self, producer: GraphNode, consumer: GraphNode) -> bool:
        """Return whether two connected, supported nodes may share a subgraph; by default, they do.

        Parameters
        ----------
        producer, consumer : GraphNode
            `consumer` reads an output of `producer`.
        """
        return True

    def replace(self, subgraph: Subgraph) -> Symbol | None:
        """Return a replacement for a subgraph, or None to leave it unchanged.

        Parameters
        ----------
        subgraph : Subgraph

        Returns
        -------
        Symbol or None
            As many outputs as ``subgraph.symbol`` has, of the same shapes and types, computed from
            ``subgraph.inputs`` and from parameters that `Subgraph.add_parameter` returned.
        """
        raise NotImplementedError(f"{type(self).__name__} must define replace()")

    def transform(self, graph: Subgraph) -> Symbol | None:
        """Return a replacement for the entire graph, or None to leave it unchanged.

        It is called once, before the graph is divided into subgraphs.

        Parameters
        ----------
        graph : Subgraph
            The entire graph.
        """
        return None


_registry: NameRegistry[SubgraphBackend] = NameRegistry(SubgraphBackend, "backend")


def register(klass: type[SubgraphBackend]) -> type[SubgraphBackend]:
    """Register a class under its lower-case name for the current process; usable as a decorator."""
    return _registry.register(klass)


def names() -> list[str]:
    """Return the names of all installed and registered backends, in lower case."""
    return _registry.names()


def create(backend: Any, **options: Any) -> SubgraphBackend:
    """Return a backend, provided by a plugin or registered by the program.

    Parameters
    ----------
    backend : str, type or SubgraphBackend
        Name, class or instance.
    **options
        Options of the backend; an instance accepts none.

    Raises
    ------
    OpforgeError
        No backend has this name; the message lists the installed ones.
    TypeError
        The backend has no such option.
    """
    if not isinstance(backend, str):
        return _registry.create(backend, **options)
    try:
        found = _registry.find(backend)
    except ValueError as error:
        raise OpforgeError(str(error)) from None
    return found(**options)
