"""Choice of the instruction set whose kernels are used.

Layer 1. The modules in `native/loops` call `table` once, when they are imported, so the choice does
not change during the life of the process.
"""

import importlib
import importlib.util
from functools import cache
from typing import Any

from opforge.base import config
from opforge.base.errors import AttributeValueError

from ..threads import cpu

__all__ = ["best", "table"]


@cache
def best() -> str:
    """Return the instruction set in use: the value of OPFORGE_ISA, else the best usable one.

    An instruction set is usable if the kernels were built for it and this processor supports it.

    Returns
    -------
    str
        ``"baseline"``, ``"x86_64_v3"`` or ``"x86_64_v4"``.

    Raises
    ------
    AttributeValueError
        OPFORGE_ISA names an instruction set that does not exist, that this processor does not
        support or that the kernels were not built for.
    ImportError
        The kernels were not built for any instruction set that this processor supports.

    Examples
    --------
    >>> best() in cpu.supported()
    True
    """
    supported = cpu.supported()
    usable = [name for name in supported if _is_built(name)]
    wanted = config.get("OPFORGE_ISA").strip()
    if wanted and wanted not in usable:
        why = "was not built" if wanted in supported else "is not supported by this processor"
        raise AttributeValueError(
            f"OPFORGE_ISA={wanted!r} {why}. Set it to one of {', '.join(usable) or 'none'}, or "
            "unset it to use the best of them"
        )
    if not usable:
        raise ImportError(
            "opforge's kernels were not built for any instruction set that this processor supports "
            f"({', '.join(supported)}). Install a wheel, or build with OPFORGE_BUILD_ISA unset"
        )
    return wanted or usable[-1]


def _is_built(name: str) -> bool:
    package = f"{__package__}.{name}"
    if importlib.util.find_spec(package) is None:
        return False
    return importlib.util.find_spec(f"{package}.elementwise") is not None


def table(family: str) -> Any:
    """Return the capsule with the kernels of `family` for the instruction set `best()`.

    Parameters
    ----------
    family : str
        Name of a source file in ``opforge/native/kernels``, for instance ``"elementwise"``.
    """
    return importlib.import_module(f"{__package__}.{best()}.{family}").TABLE
