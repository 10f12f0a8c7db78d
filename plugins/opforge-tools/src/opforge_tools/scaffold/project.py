"""Description of a new project: its name, its contributions, and the names that follow."""

import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from opforge.base.errors import ScaffoldError
from opforge.base.version import VERSION
from opforge.op.registry.kinds import KINDS as NOUNS

from .thing import KINDS, OPERATORS, Thing

__all__ = ["KINDS", "Project"]

_DISTRIBUTION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
#: Operators whose build is the project's, so that they cannot come to another one.
_BUILT = ("native-c", "native-cython", "numba")


@dataclass(frozen=True)
class Project:
    """The answers that a project is made from.

    Parameters
    ----------
    name : str
        Of the distribution.
    kind : str, default "numpy"
        How the operator is written, or what the project is of instead, one of `KINDS`.
    layer : bool, default False
        Whether there is a layer around the operator.
    operator : str, optional
        Name of the operator or other thing; by default that of the package, without ``opforge_``
        before it.
    added : tuple of Thing
        What came to the project later.

    Raises
    ------
    ScaffoldError
        A name or a kind cannot be used, or there is no operator for the layer.

    Examples
    --------
    >>> project = Project("opforge-hard-swish")
    >>> project.package, project.operator, project.class_name
    ('opforge_hard_swish', 'hard_swish', 'HardSwish')
    >>> Project("acme-swish").operator
    'acme_swish'
    """

    name: str
    kind: str = "numpy"
    layer: bool = False
    operator: str = ""
    added: tuple[Thing, ...] = ()

    def __post_init__(self) -> None:
        if not _DISTRIBUTION.fullmatch(self.name):
            raise ScaffoldError(
                f"opforge new: {self.name!r} is no name of a distribution; expected letters, "
                "digits, '-', '_' and '.', for instance acme-swish"
            )
        if not _can_be_a_module(self.package):
            raise ScaffoldError(
                f"opforge new: {self.name!r} would make a package {self.package!r}, which Python "
                "cannot import or has already; choose another name, for instance "
                f"acme-{self.name}"
            )
        if not self.operator:
            object.__setattr__(self, "operator", self.plugin)
        noun = self.main.noun  # which its own rules are checked for
        if self.layer and noun != "operator":
            raise ScaffoldError(
                f"opforge new: a layer is made around an operator, and {self.name} has a "
                f"{noun}; make the layer's project with --kind "
                f"{', '.join(OPERATORS)}"
            )

    @classmethod
    def from_answers(cls, answers: Mapping[str, Any]) -> "Project":
        """Return the project of a record; those of before one could add things have no such."""
        added = tuple(Thing(**thing) for thing in answers.get("added", ()))
        return cls(**{**answers, "added": added})

    def with_thing(self, kind: str, name: str = "") -> "Project":
        """Return the project with one thing more.

        Parameters
        ----------
        kind : str
            One of `KINDS`, but none that is compiled; or ``"layer"``, around the operator.
        name : str, optional
            By default it is made from those of the project and of the kind.

        Raises
        ------
        ScaffoldError
            It cannot be added, or is there already.
        """
        if kind == "layer" and not self.layer and not name:
            return replace(self, layer=True)
        if kind in ("layer", *_BUILT):
            why = "it has one" if kind == "layer" else "what is compiled needs a build of its own"
            raise ScaffoldError(
                f"opforge new: {kind} cannot be added to {self.name}: {why}; make another project "
                f"with opforge new NAME --kind {'numpy --layer' if kind == 'layer' else kind}"
            )
        suffix = "operator" if kind in OPERATORS else kind
        thing = Thing(kind, name or f"{self.plugin}_{suffix}")
        taken = [(other.noun, other.registered.lower()) for other in self.things]
        modules = [other.snake for other in self.things]
        if (thing.noun, thing.registered.lower()) in taken or thing.snake in modules:
            raise ScaffoldError(
                f"opforge new: {self.name} has {thing.name!r} already; give another name of the "
                f"{thing.noun} with --operator"
            )
        return replace(self, added=(*self.added, thing))

    @property
    def main(self) -> Thing:
        """Contribution that the project was created with."""
        return Thing(self.kind, self.operator)

    @property
    def things(self) -> tuple[Thing, ...]:
        """Everything but the layer."""
        return (self.main, *self.added)

    @property
    def package(self) -> str:
        """Name of the package."""
        return re.sub(r"[-_.]+", "_", self.name).lower()

    @property
    def plugin(self) -> str:
        """Short name of the plugin, which switches and errors use."""
        return self.package.removeprefix("opforge_")

    @property
    def class_name(self) -> str:
        """Name of the class of what the project was made with, and of the layer."""
        return self.main.class_name

    @property
    def contents(self) -> str:
        """Initial contents in words; authors overwrite it, so that it does not grow."""
        layer = f" and the layer {self.class_name}" if self.layer else ""
        return f"{self.main.noun} {self.main.registered}{layer}"

    @property
    def parts(self) -> list[tuple[str, dict[str, Any]]]:
        """The folders of templates that it is made from, and what each may ask for, in order."""
        modules = self._modules()
        things = [
            {**thing.values, "module": module, "page": thing.snake if at else "index"}
            for at, (thing, module) in enumerate(zip(self.things, modules, strict=True))
        ]
        values = {**self._values(), "things": things}
        parts = [("common", {**values, **things[0]})]
        for thing in things:
            parts += [(part, {**values, **thing}) for part in KINDS[thing["kind"]]]
        return [*parts, *([("layer", {**values, **things[0]})] if self.layer else [])]

    def _values(self) -> dict[str, Any]:
        return {
            "distribution": self.name,
            "layer": self.layer,
            "layer_name": self.class_name,
            "main_kind": self.kind,
            "package": self.package,
            "plugin": self.plugin,
            "contents": self.contents,
            "opforge_version": ".".join(VERSION.split(".")[:2]),
        }

    def _modules(self) -> list[str]:
        """Return the module of each thing: the first of a kind has the kind's, others their own.

        What is a module itself has its own.
        """
        found: list[str] = []
        for thing in self.things:
            first = NOUNS[thing.noun].plural
            own = first in found or NOUNS[thing.noun].is_module
            found.append(thing.snake if own else first)
        return found

    @property
    def answers(self) -> dict[str, Any]:
        """Return the values that a record keeps."""
        return asdict(self)


def _can_be_a_module(package: str) -> bool:
    taken = package in sys.stdlib_module_names or package == "opforge"
    return package.isidentifier() and not keyword.iskeyword(package) and not taken
