"""The types that are pooled."""

from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError


def expect_floating(operator: str, dtype: Any) -> None:
    """Reject a type that is known and not floating.

    Parameters
    ----------
    operator : str
        Name, for the error.
    dtype : type or None
    """
    if dtype is not None and not np.issubdtype(dtype, np.floating):
        raise DTypeError(
            f"operator '{operator}': data is {np.dtype(dtype)}, expected float16, float32 or "
            "float64; convert it with data.astype('float32')"
        )
