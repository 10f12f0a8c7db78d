"""`quantize`: a network of 8-bit integers; `measure`: what that changes."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import ndarray as nd
from ...base.errors import OpforgeError
from ...io import NDArrayIter
from .files import Network, is_label
from .request_timing import time_requests
from .running import bind, read_array, run

__all__ = ["Examples", "examples_of", "measure", "quantize"]

_MODES = ("entropy", "naive")
_MODULE = "opforge.contrib.quantization"
#: Seconds in which the time of an example is measured.
_SECONDS = 1.0


class Examples(NamedTuple):
    """Examples by the name of the input, and the indices of their classes.

    Parameters
    ----------
    inputs : dict of str to numpy.ndarray
    labels : numpy.ndarray, optional
    """

    inputs: dict[str, np.ndarray]
    labels: np.ndarray | None

    @property
    def total(self) -> int:
        """Number of examples."""
        return len(next(iter(self.inputs.values())))

    def batches(self, size: int) -> list[dict[str, np.ndarray]]:
        """Return parts of at most `size` examples."""
        return [
            {name: array[at : at + size] for name, array in self.inputs.items()}
            for at in range(0, self.total, size)
        ]


def examples_of(
    inputs: Mapping[str, np.ndarray], network: Network, labels: Path | None
) -> Examples:
    """Return examples after a check of their number.

    Raises
    ------
    OpforgeError
        An input has none, their numbers differ, or the labels cannot be read.
    """
    missing = [name for name in network.inputs if name not in inputs and not is_label(name)]
    if missing:
        raise OpforgeError(f"pass --calibrate NAME=FILE.npy for {', '.join(missing)}")
    arrays = dict(inputs)
    if labels is not None:
        arrays["--labels"] = read_array(labels, f"--labels {labels}")
    counts = {name: array.shape[0] if array.ndim else 0 for name, array in arrays.items()}
    if not min(counts.values()) or len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise OpforgeError(f"numbers of examples: {listed}; expected the same number, 1 or more")
    found = arrays.pop("--labels", None)
    return Examples(arrays, None if found is None else found.ravel())


def quantize(
    network: Network, examples: Examples, mode: str, excluded: Sequence[str], batch: int
) -> Network:
    """Return a network of 8-bit integers.

    Parameters
    ----------
    network : Network
    examples : Examples
    mode : {"entropy", "naive"}
        How the ranges are determined.
    excluded : sequence of str
        Names of nodes that stay in float32.
    batch : int
        Number of examples that are computed at once.
    """
    if mode not in _MODES:
        raise OpforgeError(f"--mode {mode}: expected {' or '.join(_MODES)}")
    names = {node.name for node in network.symbol.nodes()}
    unknown = [name for name in excluded if name not in names]
    if unknown:
        raise OpforgeError(f"--exclude {unknown[0]}: the model has no node of this name")
    symbol, args, aux = _module().quantize_model_mkldnn(
        network.symbol,
        *network.split_params(),
        data_names=tuple(examples.inputs),
        label_names=None,
        excluded_sym_names=list(excluded),
        calib_mode=mode,
        calib_data=NDArrayIter(examples.inputs, batch_size=min(batch, examples.total)),
        quantized_dtype="auto",
        quantize_mode="full",
    )
    return Network(symbol, {**args, **aux})


def _module() -> Any:
    try:
        return importlib.import_module(_MODULE)
    except ImportError as error:
        raise OpforgeError(
            f"quantization needs a plugin ({error}): pip install 'opforge-quantization[contrib]'"
        ) from error


def measure(network: Network, small: Network, examples: Examples, batch: int) -> dict[str, Any]:
    """Return the differences as a JSON-serializable dictionary.

    Parameters
    ----------
    network, small : Network
        Before and after.
    examples : Examples
    batch : int
        Number of examples that are computed at once.

    Returns
    -------
    dict
        ``bytes``, ``ms`` for one example, and ``accuracy`` if labels are known: pairs of the
        figure before and after; ``agreement``, the fraction of examples with the same class;
        ``layers``, the error of each.
    """
    batches = examples.batches(batch)
    classes = [_classes(each, batches) for each in (network, small)]
    first = {name: array[:1] for name, array in examples.inputs.items()}
    arrays = {name: nd.array(array, dtype=array.dtype) for name, array in batches[0].items()}
    report: dict[str, Any] = {
        "examples": examples.total,
        "bytes": [_bytes(each) for each in (network, small)],
        "ms": [_milliseconds(each, first) for each in (network, small)],
        "agreement": float((classes[0] == classes[1]).mean()),
        "layers": _module().layer_errors(*network, *small, arrays),
    }
    if examples.labels is not None:
        report["accuracy"] = [float((found == examples.labels).mean()) for found in classes]
    return report


def _classes(network: Network, batches: Sequence[Mapping[str, np.ndarray]]) -> np.ndarray:
    """Return the index of the largest element of the first output for each example."""
    found = []
    for inputs in batches:
        first = next(iter(run(network, inputs).values()))
        found.append(first.reshape(len(first), -1).argmax(axis=1))
    return np.concatenate(found)


def _bytes(network: Network) -> int:
    return sum(array.size * np.dtype(array.dtype).itemsize for array in network.params.values())


def _milliseconds(network: Network, inputs: Mapping[str, np.ndarray]) -> float:
    """Return the least time of a forward pass."""
    executor = bind(network, inputs, network.symbol)

    def predict() -> None:
        for output in executor.forward():
            output.wait_to_read()

    predict()  # the first one compiles the graph
    return min(time_requests(predict, _SECONDS)) * 1e3
