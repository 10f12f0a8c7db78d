"""`run_in_onnxruntime`: results of all nodes of a file, as ONNX Runtime computes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from opforge.plugin_api import ProgramMissingError

from .errors import ImportModelError
from .importing.model import load
from .importing.types import infer

__all__ = ["run_in_onnxruntime"]


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
    try:
        import onnxruntime
    except ImportError as error:
        raise ProgramMissingError(
            f"{path} is run by ONNX Runtime: pip install onnxruntime ({error})"
        ) from error
    model = infer(load(path))
    known = {info.name for info in model.graph.output}
    model.graph.output.extend(info for info in model.graph.value_info if info.name not in known)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        results = session.run(None, dict(inputs))
    except Exception as error:
        raise ImportModelError(f"ONNX Runtime rejects {path}: {error}") from error
    names = [item.name for item in session.get_outputs()]
    return dict(zip(names, results, strict=True))
