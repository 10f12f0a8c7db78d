"""Exporters: plugins that write a trained network in another program's format, and may read it.

opforge's own format is MXNet's, which `gluon.HybridBlock.export` and `model.save_checkpoint` write.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from .base.errors import OpforgeError, ProgramMissingError
from .ndarray import NDArray
from .op.registry.named import NameRegistry
from .op.registry.table import TABLES
from .symbol import Symbol

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Exporter", "ProgramMissingError", "create", "names", "register"]


class Exporter:
    """Base of all exporters; subclasses define `export`.

    They may define `load`, `run` and `open_session`.

    ``opforge model`` uses the exporter whose name is the suffix of a file.

    Examples
    --------
    >>> from opforge import nd, sym
    >>> class Listing(Exporter):
    ...     '''Writes the names of a network's operators.'''
    ...     def export(self, symbol, params, path):
    ...         names = symbol.get_internals().list_outputs()
    ...         with open(path, "w") as file: file.write(" ".join(names))
    """

    #: Python package that runs these files, such as "onnxruntime", or an empty string.
    program: str = ""

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

    def load(
        self, path: str | PathLike[str], shapes: Mapping[str, Sequence[int]] | None = None
    ) -> tuple[Symbol, Mapping[str, NDArray]]:
        """Return the graph of a file, and its parameters and auxiliary states by name.

        Parameters
        ----------
        path : str or path
        shapes : mapping of str to sequence of int, optional
            Shapes of inputs that replace those in the file.

        Raises
        ------
        OpforgeError
            The exporter only writes.
        """
        raise OpforgeError(f"{type(self).__name__} cannot read {path}: it only writes files")

    def run(
        self, path: str | PathLike[str], inputs: "Mapping[str, np.ndarray]"
    ) -> "Mapping[str, np.ndarray]":
        """Return the results of all layers of a file, by name, as another program computes them.

        Parameters
        ----------
        path : str or path
        inputs : mapping of str to numpy.ndarray

        Raises
        ------
        ProgramMissingError
            No program that runs such files is installed.
        """
        raise ProgramMissingError(f"{type(self).__name__} has no program to run {path}")

    def open_session(
        self, path: str | PathLike[str], threads: int
    ) -> "Callable[[Mapping[str, np.ndarray]], list[np.ndarray]]":
        """Return a function that computes the outputs of a file by `program`, for benchmarks.

        Threads may call it at the same time. It ignores inputs that the file does not have.

        Parameters
        ----------
        path : str or path
        threads : int
            Number of threads that may compute one call.

        Raises
        ------
        ProgramMissingError
            The program is not installed.
        """
        raise ProgramMissingError(f"{type(self).__name__} has no program to run {path}")

    def elementwise_kernels(self) -> Collection[Any]:
        """Return the elementwise kernels that are translated for operators without a rule.

        An operator names its kernel in ``elementwise_kernel``.
        """
        return ()


_registry: NameRegistry[Exporter] = NameRegistry(Exporter, "exporter")


def register(klass: type[Exporter]) -> type[Exporter]:
    """Register a class under its lower-case name for the current process; usable as a decorator."""
    return _registry.register(klass)


def names() -> list[str]:
    """Return the names of all exporters that plugins provide; nothing is imported.

    Examples
    --------
    >>> isinstance(names(), list)
    True
    """
    return TABLES["exporter"].names()


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
