"""Choose among the instruction sets that the kernels are compiled for.

Layer 1. `table` is called once by each module of glue, at its import; what it chose then stays for
the life of the process.
"""

import importlib
from functools import cache
from typing import Any

from opforge.base import config
from opforge.base.errors import AttributeValueError

from ..threads import cpu

__all__ = ["best", "table"]


@cache
def best() -> str:
    """Return the instruction set in use: what OPFORGE_ISA names, else the best of this processor.

    Returns
    -------
    str
        ``"baseline"``, ``"x86_64_v3"`` or ``"x86_64_v4"``.

    Raises
    ------
    AttributeValueError
        OPFORGE_ISA names an instruction set that does not exist or that this processor lacks.

    Examples
    --------
    >>> best() in cpu.supported()
    True
    """
    names = cpu.supported()
    wanted = config.get("OPFORGE_ISA").strip()
    if not wanted:
        return str(names[-1])
    if wanted not in names:
        raise AttributeValueError(
            f"OPFORGE_ISA={wanted!r}: this processor runs {', '.join(names)}; "
            "name one of these, or unset OPFORGE_ISA to have the best of them"
        )
    return wanted


def table(family: str) -> Any:
    """Return the capsule with the kernels of `family`, compiled for `best()`.

    Parameters
    ----------
    family : str
        Name of a source in ``opforge/native/kernels``, for instance ``"elementwise"``.
    """
    return importlib.import_module(f"opforge.native.kernels.{best()}.{family}").TABLE
