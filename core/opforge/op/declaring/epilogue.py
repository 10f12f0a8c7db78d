"""Epilogues: steps that an operator applies to its result while it is in registers or cache.

A declaration names the steps that its operator supports. Graphs then fuse the elementwise operators
that follow into it, selected by the kernel of the core that they use, not by their name.
"""

from collections.abc import Sequence

from ...native.loops.epilogue import EPILOGUES

__all__ = ["EPILOGUES", "check_epilogues"]


def check_epilogues(where: str, names: Sequence[str]) -> None:
    """Raise an error for invalid names of steps.

    Parameters
    ----------
    where : str
        Name of the declaration for the error message.
    names : sequence of str

    Raises
    ------
    TypeError
        A name is not in `EPILOGUES`.
    """
    unknown = [name for name in names if name not in EPILOGUES]
    if unknown:
        raise TypeError(
            f"{where}: epilogues has {', '.join(map(repr, unknown))}, expected names of "
            f"{', '.join(EPILOGUES)}"
        )
