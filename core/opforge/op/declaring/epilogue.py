"""Epilogues: what an operator does with its result while it is still in a register or a cache.

A declaration names the steps that its operator can do. Graphs then give it the elementwise
operators that follow: their names play no part, only which of the core's kernels they are.
"""

from collections.abc import Sequence

from ...native.loops.epilogue import EPILOGUES

__all__ = ["EPILOGUES", "check_epilogues"]


def check_epilogues(where: str, names: Sequence[str]) -> None:
    """Refuse what is no step.

    Parameters
    ----------
    where : str
        The declaration, as the error calls it.
    names : sequence of str

    Raises
    ------
    TypeError
        A name is none of `EPILOGUES`.
    """
    unknown = [name for name in names if name not in EPILOGUES]
    if unknown:
        raise TypeError(
            f"{where}: epilogues has {', '.join(map(repr, unknown))}, expected names of "
            f"{', '.join(EPILOGUES)}"
        )
