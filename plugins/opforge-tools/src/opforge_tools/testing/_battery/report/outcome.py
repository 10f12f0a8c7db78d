"""`Outcome`: what became of one check of the battery."""

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
        On how much it was checked, where it passed.
    message : str
        Why it failed or was skipped, or what it warns of.
    seconds : float
    where : str
        File and line of the author's code that raised, as ``file:line``, where that is known.
    """

    check: str
    status: str
    samples: int = 0
    message: str = ""
    seconds: float = 0.0
    where: str = ""
