"""`Outcome`: result of one check of the battery."""

from dataclasses import dataclass

__all__ = ["Outcome"]


@dataclass(frozen=True)
class Outcome:
    """Outcome of one check.

    Parameters
    ----------
    check : str
    status : {"passed", "warned", "failed", "skipped", "expected failure"}
    samples : int
        Number of samples checked, if it passed.
    message : str
        Reason of a failure or skip, or the warning.
    seconds : float
    where : str
        File and line of the author's code that raised, as ``file:line``, if known.
    """

    check: str
    status: str
    samples: int = 0
    message: str = ""
    seconds: float = 0.0
    where: str = ""
