"""Exporters: plugins that write a trained network in another program's format.

opforge's own format is MXNet's, which `gluon.HybridBlock.export` and `model.save_checkpoint` write.
"""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from .ndarray import NDArray
from .op.registry.named import NameRegistry
from .symbol import Symbol

__all__ = ["Exporter", "create", "register"]


class Exporter:
    """Base of all exporters; subclasses define `export`.

    Examples
    --------
    >>> from opforge import nd, sym
    >>> class Listing(Exporter):
    ...     '''Writes the names of a network's operators.'''
    ...     def export(self, symbol, params, path):
    ...         names = symbol.get_internals().list_outputs()
    ...         with open(path, "w") as file: file.write(" ".join(names))
    """

    def export(
        self, symbol: Symbol, params: Mapping[str, NDArray], path: str | PathLike[str]
    ) -> None:
        """Write a network to a file.

        Parameters
        ----------
        symbol : Symbol
            Graph of the network.
        params : mapping of str to NDArray
            Values of the parameters and auxiliary states, by name.
        path : str or path
        """
        raise NotImplementedError(f"{type(self).__name__} must define export()")


_registry: NameRegistry[Exporter] = NameRegistry(Exporter, "exporter")


def register(klass: type[Exporter]) -> type[Exporter]:
    """Register a class under its lower-case name for the current process; usable as a decorator."""
    return _registry.register(klass)


def create(name: str, **settings: Any) -> Exporter:
    """Return the exporter with this name, provided by a plugin or registered by the program.

    Raises
    ------
    ValueError
        No exporter has this name.

    Examples
    --------
    >>> @register
    ... class Nothing(Exporter): pass
    >>> type(create("nothing")).__name__
    'Nothing'
    """
    return _registry.create(name, **settings)
