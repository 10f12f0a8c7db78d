"""Epilogues: steps that an operator applies to its result while it is in registers or cache.

A declaration names the steps that its operator supports. Graphs then fuse the elementwise operators
that follow into it, selected by the kernel of the core that they use, not by their name.
"""

from collections.abc import Sequence
from typing import Any

from ...base.dtypes import FLOAT_NAMES
from ...native.loops.epilogue import EPILOGUES

__all__ = ["EPILOGUES", "check_epilogues", "dtypes_of_epilogues"]


def dtypes_of_epilogues(prop: Any) -> Sequence[str]:
    """Return the names of the dtypes of results to which an operator can apply steps.

    Parameters
    ----------
    prop : OperatorProp

    Returns
    -------
    sequence of str
    """
    declared: Sequence[str] = prop.epilogue_dtypes
    return declared or ("float32", "float64")


def check_epilogues(where: str, names: Sequence[str], dtypes: Sequence[str]) -> None:
    """Raise an error for invalid names of steps or dtypes.

    Parameters
    ----------
    where : str
        Name of the declaration for the error message.
    names, dtypes : sequence of str

    Raises
    ------
    TypeError
        A name is not in `EPILOGUES`, or a dtype is not floating.
    """
    unknown = [name for name in names if name not in EPILOGUES]
    if unknown:
        raise TypeError(
            f"{where}: epilogues has {', '.join(map(repr, unknown))}, expected names of "
            f"{', '.join(EPILOGUES)}"
        )
    others = [name for name in dtypes if name not in FLOAT_NAMES]
    if others:
        raise TypeError(
            f"{where}: epilogue_dtypes has {', '.join(map(repr, others))}, expected names of "
            f"{', '.join(FLOAT_NAMES)}"
        )
