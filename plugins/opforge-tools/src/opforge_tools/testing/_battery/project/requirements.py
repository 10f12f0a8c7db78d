"""Check that a plugin sets no upper bounds on NumPy or setuptools, which all plugins share.

Two plugins that require ``numpy<2`` and ``numpy>=2`` cannot be installed together.
"""

from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import InvalidRequirement, Requirement

from opforge import plugin
from opforge.op.registry.naming import normalize

from ..checks.check import NotApplicable, Unwise

__all__ = ["check_requirements"]

_SHARED = ("numpy", "setuptools")
_BOUNDS = ("<", "<=", "==", "===", "~=")


def check_requirements(state: plugin.PluginState) -> int:
    """Warn about requirements that exclude newer versions of NumPy or setuptools."""
    try:
        texts = distribution(state.provider.name).requires or []
    except PackageNotFoundError:
        raise NotApplicable("it has no metadata") from None
    bounded = [text for text in texts if _is_bounded(text)]
    if bounded:
        raise Unwise(
            f"it requires {', '.join(bounded)}: upper bounds on shared packages make plugins "
            "incompatible; specify only the oldest version that works, e.g. numpy>=2.0"
        )
    return len(texts)


def _is_bounded(text: str) -> bool:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return False
    operators = {bound.operator for bound in requirement.specifier}
    return normalize(requirement.name) in _SHARED and not operators.isdisjoint(_BOUNDS)
