"""Conflicts of a new project's names with packages and plugins of this environment."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from opforge import plugin
from opforge.op.registry.kinds import KINDS

from .contribution import Contribution
from .project import Project

__all__ = ["taken_contribution", "taken_names"]


def taken_names(project: Project) -> list[str]:
    """Return a sentence for each conflicting name: package, contributions and layer.

    Parameters
    ----------
    project : Project
    """
    found = [_taken_distribution(project.name) or _taken_package(project.package)]
    found += [
        taken_contribution(contribution, project.name) for contribution in project.contributions
    ]
    if project.layer:
        found.append(_find_conflict("layer", project.class_name, project.name))
    return [sentence for sentence in found if sentence]


def taken_contribution(contribution: Contribution, distribution: str) -> str:
    """Return a sentence on other providers of a contribution's name; empty if there are none.

    Parameters
    ----------
    contribution : Contribution
    distribution : str
        Distribution that will provide it.
    """
    return _find_conflict(contribution.noun, contribution.registered, distribution)


def _find_conflict(noun: str, name: str, distribution: str) -> str:
    own = plugin.Provider(distribution, "").key
    others = [
        f"{state.provider.name} {state.provider.version}"
        for state in plugin.states()
        if state.provider.has(noun, name) and state.provider.key != own
    ]
    if not others:
        return ""
    expression = KINDS[noun].call(name)
    return (
        f"the {noun} {name!r} is already provided by {' and '.join(others)}: with yours "
        f"{expression} would be an error until one is pinned; pass another name with --operator"
    )


def _taken_distribution(name: str) -> str:
    try:
        return (
            f"{name} {version(name)} is installed here: your package would replace it; pass "
            "another NAME"
        )
    except PackageNotFoundError:
        return ""


def _taken_package(package: str) -> str:
    if find_spec(package) is None:
        return ""
    return (
        f"a package {package!r} can already be imported here: one would hide the other; pass "
        "another NAME"
    )
