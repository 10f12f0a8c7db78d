"""Description of a project: its name, its contributions, and the names derived from them."""

import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from opforge.base.errors import ScaffoldError
from opforge.base.version import VERSION
from opforge.op.registry.kinds import KINDS as NOUNS

from .contribution import KINDS, OPERATORS, Contribution

__all__ = ["KINDS", "Project"]

_DISTRIBUTION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
#: Operators that define the build of the project, so they cannot be added to another.
_BUILT = ("native-c", "native-cython", "numba")


@dataclass(frozen=True)
class Project:
    """Answers that define a project.

    Parameters
    ----------
    name : str
        Name of the distribution.
    kind : str, default "numpy"
        Implementation of the operator, or another contribution; one of `KINDS`.
    layer : bool, default False
        Whether a layer wraps the operator.
    operator : str, optional
        Name of the operator or other contribution; by default the package name without
        the prefix ``opforge_``.
    added : tuple of Contribution
        Contributions added later.

    Raises
    ------
    ScaffoldError
        A name or kind is invalid, or the layer has no operator.

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
    added: tuple[Contribution, ...] = ()

    def __post_init__(self) -> None:
        if not _DISTRIBUTION.fullmatch(self.name):
            raise ScaffoldError(
                f"opforge new: {self.name!r} is not a valid distribution name; expected letters, "
                "digits, '-', '_' and '.', for instance acme-swish"
            )
        if not _can_be_a_module(self.package):
            raise ScaffoldError(
                f"opforge new: {self.name!r} would make a package {self.package!r}, which Python "
                "cannot import or already has; choose another name, for instance "
                f"acme-{self.name}"
            )
        if not self.operator:
            object.__setattr__(self, "operator", self.plugin)
        noun = self.main.noun  # validates the name
        if self.layer and noun != "operator":
            raise ScaffoldError(
                f"opforge new: a layer wraps an operator, but {self.name} has a "
                f"{noun}; create the layer's project with --kind "
                f"{', '.join(OPERATORS)}"
            )

    @classmethod
    def from_answers(cls, answers: Mapping[str, Any]) -> "Project":
        """Return the project from a record; records of older versions lack added contributions."""
        added = tuple(Contribution(**contribution) for contribution in answers.get("added", ()))
        return cls(**{**answers, "added": added})

    def with_contribution(self, kind: str, name: str = "") -> "Project":
        """Return the project with an additional contribution.

        Parameters
        ----------
        kind : str
            One of `KINDS` that is not compiled, or ``"layer"`` to wrap the operator.
        name : str, optional
            Default: derived from the names of the project and the kind.

        Raises
        ------
        ScaffoldError
            It cannot be added or already exists.
        """
        if kind == "layer" and not self.layer and not name:
            return replace(self, layer=True)
        if kind in ("layer", *_BUILT):
            why = (
                "it already has one"
                if kind == "layer"
                else "compiled operators need a separate build"
            )
            raise ScaffoldError(
                f"opforge new: {kind} cannot be added to {self.name}: {why}; create another "
                "project with: opforge new NAME --kind "
                f"{'numpy --layer' if kind == 'layer' else kind}"
            )
        suffix = "operator" if kind in OPERATORS else kind
        contribution = Contribution(kind, name or f"{self.plugin}_{suffix}")
        taken = [(other.noun, other.registered.lower()) for other in self.contributions]
        modules = [other.snake for other in self.contributions]
        if (
            contribution.noun,
            contribution.registered.lower(),
        ) in taken or contribution.snake in modules:
            raise ScaffoldError(
                f"opforge new: {self.name} already has {contribution.name!r}; pass another name of "
                f"the {contribution.noun} with --operator"
            )
        return replace(self, added=(*self.added, contribution))

    @property
    def main(self) -> Contribution:
        """Contribution that the project was created with."""
        return Contribution(self.kind, self.operator)

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """All contributions except the layer."""
        return (self.main, *self.added)

    @property
    def package(self) -> str:
        """Name of the import package."""
        return re.sub(r"[-_.]+", "_", self.name).lower()

    @property
    def plugin(self) -> str:
        """Short name of the plugin in configuration and errors."""
        return self.package.removeprefix("opforge_")

    @property
    def class_name(self) -> str:
        """Class name of the initial contribution and of the layer."""
        return self.main.class_name

    @property
    def contents(self) -> str:
        """Description of the initial contents; not extended later, because authors edit it."""
        layer = f" and the layer {self.class_name}" if self.layer else ""
        return f"{self.main.noun} {self.main.registered}{layer}"

    @property
    def parts(self) -> list[tuple[str, dict[str, Any]]]:
        """Template folders of the project with their values, in order."""
        modules = self._modules()
        contributions = [
            {**contribution.values, "module": module, "page": contribution.snake if at else "index"}
            for at, (contribution, module) in enumerate(
                zip(self.contributions, modules, strict=True)
            )
        ]
        values = {**self._values(), "contributions": contributions}
        parts = [("common", {**values, **contributions[0]})]
        for contribution in contributions:
            parts += [(part, {**values, **contribution}) for part in KINDS[contribution["kind"]]]
        return [*parts, *([("layer", {**values, **contributions[0]})] if self.layer else [])]

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
        """Return the module of each contribution.

        The first of a kind is in the kind's module; further ones, and modules, have separate files.
        """
        found: list[str] = []
        for contribution in self.contributions:
            first = NOUNS[contribution.noun].plural
            own = first in found or NOUNS[contribution.noun].is_module
            found.append(contribution.snake if own else first)
        return found

    @property
    def answers(self) -> dict[str, Any]:
        """Return the values that a record keeps."""
        return asdict(self)


def _can_be_a_module(package: str) -> bool:
    taken = package in sys.stdlib_module_names or package == "opforge"
    return package.isidentifier() and not keyword.iskeyword(package) and not taken
