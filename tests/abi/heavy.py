"""Declarations of the operators in ``plugins/heavy.c``."""

from opforge.base.dtypes import NAMES
from opforge.plugin_api import Attribute

from .declarations import FIXED, declare


def declare_heavy(module):
    """Return the declarations."""

    def integer(default=0):
        return Attribute(int, default=default)

    gemm = {name: integer() for name in ("m", "n", "k", "transpose_a", "transpose_b", "inside")}
    return [
        declare(
            module,
            "gemm",
            arguments=("a", "b", "c", "bias"),
            **gemm,
            alpha=Attribute(float, default=1.0),
            beta=Attribute(float, default=0.0),
            threads=integer(),
            bias_axis=integer(-1),
            dtypes=NAMES,
            **FIXED,
        ),
        declare(module, "faults", what=integer(), **FIXED),
        declare(module, "routines", routine=Attribute(str, default="dnrm2"), **FIXED),
        declare(module, "planned", fault=integer(), saves=()),
        declare(
            module, "workers", stop=integer(-1), scratch=integer(1024), nested=integer(), **FIXED
        ),
        declare(module, "both", arguments=("x", "y"), saves=("inputs",)),
        declare(module, "affine", arguments=("x", "w", "b"), saves=("x", "w")),
        declare(
            module,
            "counted",
            arguments=("data", "weight"),
            auxiliary_states=("count",),
            saves=("inputs",),
        ),
        declare(module, "half", **FIXED),
    ]
