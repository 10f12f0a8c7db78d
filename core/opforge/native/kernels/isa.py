"""Choose among the instruction sets that the kernels are compiled for.

Layer 1. `table` is called once by each module of glue, at its import; what it chose then stays for
the life of the process.
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
    """Return the instruction set in use: what OPFORGE_ISA names, else the best that can be used.

    It can be used where the kernels were built for it and this processor runs it.

    Returns
    -------
    str
        ``"baseline"``, ``"x86_64_v3"`` or ``"x86_64_v4"``.

    Raises
    ------
    AttributeValueError
        OPFORGE_ISA names an instruction set that does not exist, that this processor lacks or that
        the kernels were not built for.
    ImportError
        The kernels were built for no instruction set of this processor.

    Examples
    --------
    >>> best() in cpu.supported()
    True
    """
    runs = cpu.supported()
    usable = [name for name in runs if _is_built(name)]
    wanted = config.get("OPFORGE_ISA").strip()
    if wanted and wanted not in usable:
        why = "is not built here" if wanted in runs else "is none that this processor runs"
        raise AttributeValueError(
            f"OPFORGE_ISA={wanted!r} {why}; name one of {', '.join(usable) or 'none'}, or unset "
            "OPFORGE_ISA to have the best of them"
        )
    if not usable:
        raise ImportError(
            f"opforge's kernels are built for no instruction set that this processor runs "
            f"({', '.join(runs)}); install a wheel, or build with OPFORGE_BUILD_ISA unset"
        )
    return wanted or usable[-1]


def _is_built(name: str) -> bool:
    package = f"{__package__}.{name}"
    if importlib.util.find_spec(package) is None:
        return False
    return importlib.util.find_spec(f"{package}.elementwise") is not None


def table(family: str) -> Any:
    """Return the capsule with the kernels of `family`, compiled for `best()`.

    Parameters
    ----------
    family : str
        Name of a source in ``opforge/native/kernels``, for instance ``"elementwise"``.
    """
    return importlib.import_module(f"{__package__}.{best()}.{family}").TABLE
