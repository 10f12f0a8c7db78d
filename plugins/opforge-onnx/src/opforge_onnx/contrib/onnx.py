"""`opforge.contrib.onnx`: the names of MXNet before 1.9."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import add_aliases as _add_aliases

from .. import onnx

__all__ = ["export_model", "get_model_metadata", "import_model", "import_to_gluon"]

get_model_metadata = onnx.get_model_metadata
import_model = onnx.import_model
import_to_gluon = onnx.import_to_gluon


def export_model(
    sym: Any,
    params: Any,
    input_shape: Sequence[tuple[int, ...]],
    input_type: Any = np.float32,
    onnx_file_path: Any = "model.onnx",
    verbose: bool = False,
) -> str:
    """Write a network in ONNX; see `opforge.onnx.export_model`."""
    return onnx.export_model(sym, params, input_shape, input_type, onnx_file_path, verbose)


_add_aliases(__name__)
