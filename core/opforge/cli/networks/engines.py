"""Engines of a benchmark: a network that answers requests by opforge, or by another program."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import exporter, gluon
from ... import ndarray as nd
from ... import symbol as sym
from ...native.threads import parallel
from .files import params_of, read

__all__ = ["OPFORGE", "Predict", "Setup", "import_engine"]

#: Name of the engine that is not another program.
OPFORGE = "opforge"

#: Function that computes the outputs of one request from the inputs by name.
Predict = Callable[[Mapping[str, np.ndarray]], list[np.ndarray]]


class Setup(NamedTuple):
    """Network to be opened in a process.

    Parameters
    ----------
    engine : str
        `OPFORGE`, or the name of the exporter of the file's format.
    source : Path
        File of the network.
    params : Path, optional
        File of the parameters of a graph.
    inputs : dict of str to numpy.ndarray
        The same for all requests.
    threads : int
        Number of threads for one request.
    """

    engine: str
    source: Path
    params: Path | None
    inputs: dict[str, np.ndarray]
    threads: int


def import_engine(setup: Setup) -> Callable[[], Predict]:
    """Import the libraries of an engine; return the function that reads the network.

    That returns the function for requests, which threads may call at the same time.
    """
    if setup.engine == OPFORGE:
        parallel.set_num_threads(setup.threads)
        return lambda: _hybridize(setup)
    found = exporter.create(setup.engine)
    import_module(found.program)
    return lambda: found.open_session(setup.source, setup.threads)


def _hybridize(setup: Setup) -> Predict:
    """Return a function that predicts with one hybridized block."""
    net = _read_block(setup)
    net.hybridize(static_alloc=True, static_shape=True)
    names = list(setup.inputs)

    def predict(inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        outputs = net(*(nd.array(inputs[name], dtype=inputs[name].dtype) for name in names))
        found = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return [array.asnumpy() for array in found]

    return predict


def _read_block(setup: Setup) -> Any:
    """Return the network as a block, which holds the only copy of its parameters."""
    names = list(setup.inputs)
    if setup.source.suffix == ".json":
        params = setup.params or params_of(setup.source)
        return gluon.SymbolBlock.imports(str(setup.source), names, str(params), ignore_extra=True)
    shapes = {name: array.shape for name, array in setup.inputs.items()}
    network = read(setup.source, setup.params, shapes)
    block = gluon.SymbolBlock(network.symbol, [sym.var(name) for name in names])
    parameters = block.collect_params()
    parameters.load_dict(network.params, ignore_extra=True, cast_dtype=True, dtype_source="saved")
    return block
