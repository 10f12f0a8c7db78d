"""A plugin leaves the versions of what all share to the user: no bound on NumPy or setuptools.

Two plugins of which one wants ``numpy<2`` and the other ``numpy>=2`` cannot be installed together.
"""

from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import InvalidRequirement, Requirement

from opforge import plugin
from opforge.op.registry.naming import normalise

from ..checks.check import NotApplicable, Unwise

__all__ = ["check_requirements"]

_SHARED = ("numpy", "setuptools")
_BOUNDS = ("<", "<=", "==", "===", "~=")


def check_requirements(state: plugin.PluginState) -> int:
    """Warn of requirements that keep NumPy or setuptools from being newer."""
    try:
        texts = distribution(state.provider.name).requires or []
    except PackageNotFoundError:
        raise NotApplicable("it has no metadata of its own") from None
    bounded = [text for text in texts if _is_bounded(text)]
    if bounded:
        raise Unwise(
            f"it requires {', '.join(bounded)}: plugins that bound what all of them share exclude "
            "each other; ask for the oldest version that works alone, as in numpy>=2.0"
        )
    return len(texts)


def _is_bounded(text: str) -> bool:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return False
    operators = {bound.operator for bound in requirement.specifier}
    return normalise(requirement.name) in _SHARED and not operators.isdisjoint(_BOUNDS)
