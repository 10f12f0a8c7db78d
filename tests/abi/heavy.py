"""Declarations of the operators in ``plugins/heavy.c``, which use what version 1.2 has."""

from opforge.plugin_api import Attribute

from .declarations import FIXED, declare


def declare_heavy(module):
    """Return the declarations."""

    def whole(default=0):
        return Attribute(int, default=default)

    gemm = {name: whole() for name in ("m", "n", "k", "transpose_a", "transpose_b", "inside")}
    return [
        declare(
            module,
            "gemm",
            arguments=("a", "b", "c", "bias"),
            **gemm,
            alpha=Attribute(float, default=1.0),
            beta=Attribute(float, default=0.0),
            threads=whole(),
            bias_axis=whole(-1),
            **FIXED,
        ),
        declare(module, "faults", what=whole(), **FIXED),
        declare(module, "planned", fault=whole(), saves=()),
        declare(module, "workers", stop=whole(-1), scratch=whole(1024), nested=whole(), **FIXED),
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
