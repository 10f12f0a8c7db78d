"""Unmet requirements of a distribution, and the command that fixes each.

Used for errors and by the command line, never while a plugin loads: comparing versions takes longer
than loading most plugins.
"""

from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, version
from typing import TYPE_CHECKING

from ..base.version import VERSION
from ..op.registry.entry import CORE
from ..op.registry.naming import normalize

if TYPE_CHECKING:
    from packaging.requirements import Requirement

__all__ = ["Unmet", "unmet_requirements"]


@dataclass(frozen=True)
class Unmet:
    """Requirement that the installed distributions do not meet.

    Parameters
    ----------
    requirement : str
        As in the metadata, without markers.
    name : str
        The distribution that is required.
    installed : str
        Installed version; empty if it is not installed.
    """

    requirement: str
    name: str
    installed: str

    @property
    def text(self) -> str:
        """The requirement, and what is installed instead."""
        found = f"{self.name} {self.installed} is" if self.installed else "it is not"
        return f"it requires {self.requirement}, but {found} installed"

    def line(self, distribution: str) -> str:
        """Return the command that satisfies it.

        Parameters
        ----------
        distribution : str
            The distribution that has the requirement.
        """
        if normalize(self.name) != CORE:
            return f"pip install {self.requirement!r}"
        return "pip install -U opforge" if self._wants_newer() else f"pip install -U {distribution}"

    def _wants_newer(self) -> bool:
        from packaging.requirements import Requirement
        from packaging.version import Version

        bounds = Requirement(self.requirement).specifier
        lower = [s.version for s in bounds if s.operator in (">=", ">", "==", "~=")]
        here = Version(self.installed)
        return any(Version(text.removesuffix(".*")) >= here for text in lower)


def unmet_requirements(found: Distribution) -> list[Unmet]:
    """Return the unmet requirements of a distribution, without those of its extras."""
    from packaging.requirements import InvalidRequirement, Requirement

    unmet = []
    for text in found.requires or []:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            unmet.append(Unmet(text, text, ""))
            continue
        here = _installed_version(requirement.name)
        if _applies(requirement) and not (here and _admits(requirement, here)):
            shown = f"{requirement.name}{requirement.specifier}"
            unmet.append(Unmet(shown, requirement.name, here))
    return unmet


def _applies(requirement: "Requirement") -> bool:
    marker = requirement.marker
    try:
        return marker is None or marker.evaluate({"extra": ""})
    except ValueError:  # it compares incomparable values
        return True


def _admits(requirement: "Requirement", here: str) -> bool:
    try:
        return requirement.specifier.contains(here, prereleases=True)
    except ValueError:  # the installed version is not a valid one
        return False


def _installed_version(name: str) -> str:
    if normalize(name) == CORE:
        return VERSION
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
