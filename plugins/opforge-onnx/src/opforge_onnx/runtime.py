"""ONNX Runtime: results of all nodes of a file, and sessions for benchmarks."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from opforge.plugin_api import ProgramMissingError

from .errors import ImportModelError
from .importing.model import load
from .importing.types import infer

__all__ = ["open_session", "run_in_onnxruntime"]

_PROVIDERS = ["CPUExecutionProvider"]


def run_in_onnxruntime(path: Any, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the results of all nodes by name.

    Parameters
    ----------
    path : str or path
    inputs : mapping of str to numpy.ndarray

    Raises
    ------
    ProgramMissingError
        onnxruntime is not installed.
    ImportModelError
        It rejects the file or the inputs.
    """
    onnxruntime = _import_for(path)
    model = infer(load(path))
    known = {info.name for info in model.graph.output}
    model.graph.output.extend(info for info in model.graph.value_info if info.name not in known)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), _options(onnxruntime), providers=_PROVIDERS
        )
        results = session.run(None, dict(inputs))
    except Exception as error:
        raise ImportModelError(f"ONNX Runtime rejects {path}: {error}") from error
    names = [item.name for item in session.get_outputs()]
    return dict(zip(names, results, strict=True))


def open_session(path: Any, threads: int) -> Callable[[Mapping[str, np.ndarray]], list[np.ndarray]]:
    """Return a function that computes the outputs of a file, which threads may share.

    Parameters
    ----------
    path : str or path
    threads : int
        Number of threads that compute one call.

    Raises
    ------
    ProgramMissingError
        onnxruntime is not installed.
    ImportModelError
        It rejects the file.
    """
    onnxruntime = _import_for(path)
    options = _options(onnxruntime)
    options.intra_op_num_threads = threads
    # By default its threads spin for 40 ms after a run, while another program takes its turn.
    options.add_session_config_entry("session.intra_op.spin_duration_us", "1000")
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=_PROVIDERS)
    except Exception as error:
        raise ImportModelError(f"ONNX Runtime rejects {path}: {error}") from error
    names = [item.name for item in session.get_inputs()]

    def predict(inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        results: list[np.ndarray] = session.run(None, {name: inputs[name] for name in names})
        return results

    return predict


def _import_for(path: Any) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise ProgramMissingError(
            f"{path} is run by ONNX Runtime: pip install onnxruntime ({error})"
        ) from error
    return onnxruntime


def _options(onnxruntime: Any) -> Any:
    """Return options of a session that prints errors only."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return options
