"""Files of ONNX models, replaced once they are complete."""

import os
from typing import Any

import onnx

from opforge.plugin_api import files

__all__ = ["EMBEDDED_LIMIT", "save"]

#: Bytes of weights beyond which they go to a separate file; protobuf ends at 2 GiB.
EMBEDDED_LIMIT = 2_000_000_000
#: Bytes of a weight that stays in the file of the graph: shapes and scalars are read at loading.
SMALL = 1024


def save(model: onnx.ModelProto, path: Any) -> None:
    """Write a model, with large weights in a second file ``PATH.data``.

    Parameters
    ----------
    model : onnx.ModelProto
    path : str or path
    """
    target = os.fspath(path)
    size = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if size <= EMBEDDED_LIMIT:
        with files.replacing(target) as file:
            file.write(model.SerializeToString())
        return
    onnx.save_model(
        model,
        target,
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=f"{os.path.basename(target)}.data",
        size_threshold=SMALL,
    )
