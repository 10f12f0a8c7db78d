"""NumPy references and sample calls for ``opforge check``."""

from base64 import b64decode
from typing import Any

import numpy as np


def _check_finite(data: Any, msg: str) -> Any:
    if not data.all():
        raise ValueError(msg)
    return np.ones(1, "float32")


def _host_call(*arrays: Any, function: str, **attributes: Any) -> Any:
    return getattr(np, function)(*arrays)


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_np_call": {
        "reference": _host_call,
        "samples": [
            {"inputs": [np.ones((2, 3), "float32")], "attributes": {"function": "tril"}},
            {"inputs": [np.ones((2, 3, 2), "float32")], "attributes": {"function": "ravel"}},
        ],
    },
    "_np_constant": {
        "reference": lambda data, shape, dtype: np.frombuffer(b64decode(data), dtype).reshape(
            shape
        ),
        "samples": [
            {
                "inputs": [],
                "attributes": {"data": "AACAPwAAAEA=", "shape": (2, 1), "dtype": "float32"},
            }
        ],
    },
    "_npx_constraint_check": {
        "reference": _check_finite,
        "samples": [{"inputs": [np.ones((2, 3), bool)], "attributes": {"msg": "no"}}],
    },
}
