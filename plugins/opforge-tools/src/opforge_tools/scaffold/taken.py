"""Names of a new project that something has already in this environment."""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from opforge import plugin
from opforge.op.registry.kinds import KINDS

from .project import Project
from .thing import Thing

__all__ = ["taken_names", "taken_thing"]


def taken_names(project: Project) -> list[str]:
    """Return a sentence for each name of a project that is taken: package, things and layer.

    Parameters
    ----------
    project : Project
    """
    found = [_taken_distribution(project.name) or _taken_package(project.package)]
    found += [taken_thing(thing, project.name) for thing in project.things]
    if project.layer:
        found.append(_taken("layer", project.class_name, project.name))
    return [sentence for sentence in found if sentence]


def taken_thing(thing: Thing, distribution: str) -> str:
    """Return who else provides a thing's name, in words; empty if nobody does.

    Parameters
    ----------
    thing : Thing
    distribution : str
        Whose it is to be.
    """
    return _taken(thing.noun, thing.registered, distribution)


def _taken(noun: str, name: str, distribution: str) -> str:
    own = plugin.Provider(distribution, "").key
    others = [
        f"{state.provider.name} {state.provider.version}"
        for state in plugin.states()
        if state.provider.has(noun, name) and state.provider.key != own
    ]
    if not others:
        return ""
    place = KINDS[noun].place.format(name=name)
    return (
        f"the {noun} {name!r} is {' and '.join(others)}'s here: beside yours {place} would be an "
        "error until one is pinned; --operator gives another name"
    )


def _taken_distribution(name: str) -> str:
    try:
        return (
            f"{name} {version(name)} is installed here: your package would take its place; give "
            "another NAME"
        )
    except PackageNotFoundError:
        return ""


def _taken_package(package: str) -> str:
    if find_spec(package) is None:
        return ""
    return (
        f"a package {package!r} can be imported here already: one would hide the other; give "
        "another NAME"
    )
