"""`read` and `write`: networks in files of opforge, and of the formats that exporters know.

A file of another format belongs to the exporter that has the name of its suffix, as ``net.onnx`` to
``onnx``.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ... import exporter
from ... import ndarray as nd
from ... import symbol as sym
from ...base.errors import OpforgeError
from ...checkpoint import save_checkpoint
from ...ndarray.safetensors_bytes import SUFFIX

__all__ = ["Network", "exporter_of", "is_label", "params_of", "read", "write"]

_GRAPH = "-symbol.json"


class Network(NamedTuple):
    """Graph with the values of its parameters.

    Parameters
    ----------
    symbol : Symbol
    params : dict of str to NDArray
        Parameters and auxiliary states.
    """

    symbol: Any
    params: dict[str, Any]

    @property
    def inputs(self) -> list[str]:
        """Names of the variables without a value."""
        return [name for name in self.symbol.list_inputs() if name not in self.params]

    def split_params(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters and the auxiliary states."""
        states = set(self.symbol.list_auxiliary_states())
        args = {name: array for name, array in self.params.items() if name not in states}
        return args, {name: array for name, array in self.params.items() if name in states}


def is_label(name: str) -> bool:
    """Return whether an input is a label of a loss, which predictions do not need."""
    return name.endswith("label")


def read(
    path: Path, params: Path | None = None, shapes: Mapping[str, Sequence[int]] | None = None
) -> Network:
    """Return the network of a file.

    Parameters
    ----------
    path : Path
        A graph (``prefix-symbol.json``), or a file of another format.
    params : Path, optional
        Parameters of a graph; default: the only ``prefix-*.params`` next to it.
    shapes : mapping of str to sequence of int, optional
        Shapes of inputs, for formats that leave them open.

    Raises
    ------
    OpforgeError
        The format is unknown or cannot be read, or there are several files of parameters.
    """
    if path.suffix != ".json":
        symbol, found = exporter_of(path).load(path, shapes)
        return Network(symbol, dict(found))
    symbol, file = sym.load(path), params or params_of(path)
    arrays = nd.load(str(file)) or {}  # a file without arrays is an empty list
    if not isinstance(arrays, dict):
        raise OpforgeError(f"{file} has arrays without names")
    plain = {n.removeprefix("arg:").removeprefix("aux:"): array for n, array in arrays.items()}
    return Network(symbol, plain)


def params_of(path: Path) -> Path:
    """Return the only file of parameters next to a graph.

    Raises
    ------
    OpforgeError
        It is missing, or there are several.
    """
    prefix = path.name.removesuffix(_GRAPH).removesuffix(".json")
    found = sorted(
        [*path.parent.glob(f"{prefix}-[0-9]*.params"), *path.parent.glob(f"{prefix}.params")]
    )
    if len(found) != 1:
        listed = ", ".join(file.name for file in found) or "none"
        raise OpforgeError(
            f"{path} needs one file of parameters {prefix}-*.params, found {listed}; pass --params"
        )
    return found[0]


def write(network: Network, path: Path, shapes: Mapping[str, Sequence[int]]) -> list[Path]:
    """Write a network; return the files.

    Parameters
    ----------
    network : Network
    path : Path
        ``prefix-symbol.json`` for a graph and ``prefix-0000.params``, a file of arrays (.params or
        .safetensors) for the parameters alone, or a file of another format.
    shapes : mapping of str to sequence of int
        Shapes of inputs, for formats that need them.
    """
    if path.suffix in (".params", SUFFIX):
        nd.save(str(path), network.params)
        return [path]
    if path.suffix != ".json":
        known = [tuple(shapes[name]) for name in network.inputs if name in shapes]
        exporter_of(path, **({"shapes": known} if known else {})).export(
            network.symbol, network.params, path
        )
        return [path]
    if not path.name.endswith(_GRAPH):
        raise OpforgeError(f"{path}: a graph is written to prefix{_GRAPH}; rename it")
    prefix = str(path).removesuffix(_GRAPH)
    save_checkpoint(prefix, 0, network.symbol, *network.split_params())
    return [path, Path(f"{prefix}-0000.params")]


def exporter_of(path: Path, **settings: Any) -> exporter.Exporter:
    """Return the exporter of a file's format, by its suffix."""
    name = path.suffix.removeprefix(".")
    try:
        return exporter.create(name, **settings)
    except ValueError as error:
        raise OpforgeError(
            f"{path}: no format {path.suffix or 'without a suffix'}; pass prefix{_GRAPH}, or a "
            f"file of an installed exporter ({error})"
        ) from None
