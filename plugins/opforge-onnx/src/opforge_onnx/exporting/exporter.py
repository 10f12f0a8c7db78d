"""`OnnxExporter`: the exporter that `exporter.create("onnx")` returns."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import Exporter, F

from ..errors import ExportError
from ..importing.model import load, read
from ..operators.kernels import KERNELS
from ..runtime import open_session, run_in_onnxruntime
from .files import save
from .inputs import Input
from .model import build
from .sources import network_of

__all__ = ["OPSET", "OnnxExporter"]

#: Every current runtime reads it, with version 10 of the file format.
OPSET = 21


class OnnxExporter(Exporter):
    """Writes networks in ONNX.

    Parameters
    ----------
    shapes : sequence of tuple of int, optional
        Shape of each input; by default those in attributes of the variables.
    dtypes : sequence of dtype, optional
        Default: those that declarations of variables and weights determine, or else float32.
    opset : int, default 21
    """

    program = "onnxruntime"

    def __init__(
        self,
        shapes: Sequence[tuple[int, ...]] | None = None,
        dtypes: Sequence[Any] | None = None,
        opset: int = OPSET,
    ) -> None:
        self._shapes, self._dtypes, self._opset = shapes, dtypes, opset

    def export(self, symbol: Any, params: Mapping[str, Any], path: Any) -> None:
        """Write a network to a file.

        Parameters
        ----------
        symbol : Symbol
        params : mapping of str to NDArray
        path : str or path
        """
        shapes = self._shapes or _declared_shapes(symbol, params)
        dtypes = self._dtypes or _declared_dtypes(symbol, params)
        inputs = [Input(shape, dtype, shape) for shape, dtype in zip(shapes, dtypes, strict=True)]
        save(build(network_of(symbol, params, shapes, dtypes), inputs, self._opset), path)

    def load(
        self, path: Any, shapes: Mapping[str, Sequence[int]] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the symbol of a file, and its parameters and states by name.

        Parameters
        ----------
        path : str or path
        shapes : mapping of str to sequence of int, optional
            Shapes of inputs that the file leaves open.
        """
        found = read(load(path), shapes)
        arrays = {name: F.array(array, dtype=array.dtype) for name, array in found.weights.items()}
        return found.symbol, arrays

    def run(self, path: Any, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the results of all nodes as ONNX Runtime computes them.

        Parameters
        ----------
        path : str or path
        inputs : mapping of str to numpy.ndarray

        Raises
        ------
        ProgramMissingError
            onnxruntime is not installed.
        ImportModelError
            It rejects the file.
        """
        return run_in_onnxruntime(path, inputs)

    def open_session(
        self, path: Any, threads: int
    ) -> Callable[[Mapping[str, np.ndarray]], list[np.ndarray]]:
        """Return a function that predicts with ONNX Runtime; see `runtime.open_session`."""
        return open_session(path, threads)

    def elementwise_kernels(self) -> Collection[Any]:
        """Return the elementwise kernels that are translated for operators without a rule."""
        return KERNELS.keys()


def _declared_shapes(symbol: Any, params: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """Return the shapes that the variables of the inputs declare."""
    known = {name: array.shape for name, array in params.items()}
    shapes, _, _ = symbol.infer_shape_partial(**known)
    found = dict(zip(symbol.list_arguments(), shapes, strict=True))
    free = _inputs(symbol, params)
    for name in free:
        if not found[name] or 0 in found[name]:
            raise ExportError(
                f"export to ONNX: the shape of the input {name!r} is unknown; create the exporter "
                f"with shapes=[...], one for each of {free}, or declare it: "
                f"sym.var({name!r}, shape=...)"
            )
    return [found[name] for name in free]


def _declared_dtypes(symbol: Any, params: Mapping[str, Any]) -> list[Any]:
    """Return the dtypes of the inputs that declarations and weights determine, or else float32."""
    known = {name: array.dtype for name, array in params.items()}
    arguments = symbol.list_arguments()
    types, _, _ = symbol.infer_type_partial(**{n: known[n] for n in arguments if n in known})
    found = dict(zip(arguments, types, strict=True))
    return [found[name] or np.float32 for name in _inputs(symbol, params)]


def _inputs(symbol: Any, params: Mapping[str, Any]) -> list[str]:
    """Return the variables that are no weights and no labels."""
    found = [name for name in symbol.list_arguments() if name not in params]
    return [name for name in found if not name.endswith("label")]
