"""`make_inputs`: arrays for the requests of a benchmark."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...base.errors import OpforgeError
from .files import Network, is_label

__all__ = ["make_inputs"]


def make_inputs(
    network: Network,
    given: Mapping[str, np.ndarray],
    shapes: Mapping[str, Sequence[int]],
    batch: int | None = None,
) -> dict[str, np.ndarray]:
    """Return an array for each input; those that are not given are random, labels are zeros.

    Parameters
    ----------
    network : Network
    given : mapping of str to numpy.ndarray
        They are cast to the type of the input.
    shapes : mapping of str to sequence of int
        Shapes of inputs, where the network does not declare them.
    batch : int, optional
        Size of the first axis of all inputs; rows of given arrays are repeated or left out.

    Raises
    ------
    OpforgeError
        The shape of an input is unknown, or a shape is given for no input.
    """
    for name in shapes:
        if name not in network.inputs:
            raise OpforgeError(
                f"--shape {name}=...: expected one of the inputs {', '.join(network.inputs)}"
            )
    sizes = {**shapes, **{name: array.shape for name, array in given.items()}}
    declared = _infer_shapes(network, {})
    for name in network.inputs:
        shape = tuple(sizes.get(name) or declared.get(name) or ())
        if shape and not is_label(name):
            sizes[name] = shape if batch is None else (batch, *shape[1:])
    found = _infer_shapes(network, sizes)
    types = _infer_types(network)
    random = np.random.default_rng(0)
    arrays = {}
    for name in network.inputs:
        shape, dtype = found.get(name, ()), types[name]
        if not shape or 0 in shape:
            raise OpforgeError(
                f"the shape of the input {name!r} is unknown; pass --shape {name}=N,N,... "
                f"or --input {name}=FILE.npy"
            )
        if name in given:
            arrays[name] = np.resize(given[name], shape).astype(dtype)
        elif is_label(name):
            arrays[name] = np.zeros(shape, dtype)
        else:
            arrays[name] = _draw(random, shape, dtype)
    return arrays


def _infer_shapes(
    network: Network, sizes: Mapping[str, Sequence[int]]
) -> dict[str, tuple[int, ...]]:
    names = network.symbol.list_arguments()
    known = {name: network.params[name].shape for name in names if name in network.params}
    known.update({name: tuple(shape) for name, shape in sizes.items() if name in names})
    found, _, _ = network.symbol.infer_shape_partial(**known)
    return {name: shape for name, shape in zip(names, found, strict=True) if shape}


def _infer_types(network: Network) -> dict[str, Any]:
    """Return the types that declarations and weights determine, or else float32."""
    names = network.symbol.list_arguments()
    known = {name: network.params[name].dtype for name in names if name in network.params}
    found, _, _ = network.symbol.infer_type_partial(**known)
    return {name: dtype or np.float32 for name, dtype in zip(names, found, strict=True)}


def _draw(random: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return random numbers from 0 to 1."""
    if np.issubdtype(dtype, np.floating):
        return random.random(shape, np.float32).astype(dtype)
    return random.integers(0, 2, shape).astype(dtype)
