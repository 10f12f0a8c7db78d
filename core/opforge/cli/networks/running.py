"""`run`: the outputs of a network for arrays in files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import ndarray as nd
from ...base.context import cpu
from ...base.errors import OpforgeError
from .files import Network, is_label

__all__ = ["bind", "read_array", "read_arrays", "read_inputs", "run"]


def read_inputs(given: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return an array for each input, as `read_arrays` does.

    Raises
    ------
    OpforgeError
        As there, or an input is missing. Labels of losses may be.
    """
    found = read_arrays(given, names)
    missing = [name for name in names if name not in found and not is_label(name)]
    if missing:
        raise OpforgeError(f"pass --input NAME=FILE.npy for {', '.join(missing)}")
    return found


def read_arrays(given: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the arrays of files by the name of an input.

    Parameters
    ----------
    given : sequence of str
        Files (.npy), each with ``NAME=`` before it or in the order of `names`.
    names : sequence of str
        Inputs of the network.

    Raises
    ------
    OpforgeError
        A name is unknown, or a file cannot be read.
    """
    left = list(names)
    found = {}
    for text in given:
        name, separator, file = text.partition("=")
        if not separator:
            name, file = (left[0] if left else ""), text
        if name not in left:
            raise OpforgeError(f"--input {text}: expected one of the inputs {', '.join(names)}")
        left.remove(name)
        found[name] = read_array(Path(file), f"--input {text}: {file}")
    return found


def read_array(file: Path, title: str) -> Any:
    """Return the array of a file; errors begin with a title.

    Raises
    ------
    OpforgeError
        The file cannot be read.
    """
    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise OpforgeError(f"{title} is not an array of NumPy: {error}") from error


def run(
    network: Network, inputs: Mapping[str, np.ndarray], layers: bool = False
) -> dict[str, np.ndarray]:
    """Return the outputs by name.

    Parameters
    ----------
    network : Network
    inputs : mapping of str to numpy.ndarray
        Labels that are missing are zeros.
    layers : bool, default False
        Whether to return the outputs of all operators.
    """
    outputs = network.symbol.get_internals() if layers else network.symbol
    results = [array.asnumpy() for array in bind(network, inputs, outputs).forward()]
    return dict(zip(outputs.list_outputs(), results, strict=True))


def bind(network: Network, inputs: Mapping[str, np.ndarray], outputs: Any) -> Any:
    """Return an executor of some outputs of a network; labels that are missing are zeros."""
    symbol = network.symbol
    names = symbol.list_arguments()
    arrays = {**network.params, **inputs}
    shapes = {name: arrays[name].shape for name in names if name in arrays}
    known, _, _ = symbol.infer_shape_partial(**shapes)
    sizes = dict(zip(names, known, strict=True))

    def value(name: str) -> Any:
        if name in inputs:
            return nd.array(inputs[name], dtype=inputs[name].dtype)
        return network.params[name] if name in network.params else nd.zeros(sizes[name])

    return outputs.bind(
        cpu(),
        {name: value(name) for name in outputs.list_arguments()},
        grad_req="null",
        aux_states={name: value(name) for name in outputs.list_auxiliary_states()},
    )
