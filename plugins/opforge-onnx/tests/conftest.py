"""Running of exported models in ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
import pytest


def run(path, *arrays, check=True):
    """Return the outputs of a model, which is checked by default."""
    if check:
        onnx.checker.check_model(str(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    return session.run(None, {n: np.asarray(a) for n, a in zip(names, arrays, strict=True)})


@pytest.fixture(name="run")
def run_fixture():
    """Return `run`."""
    return run
