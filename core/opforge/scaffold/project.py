"""What a project is made from: its name, and the names that follow from it."""

import keyword
import re
import sys
from dataclasses import asdict, dataclass
from typing import Any

from ..base.errors import ScaffoldError
from ..base.version import VERSION

__all__ = ["KINDS", "Project"]

#: How an operator can be written -> the folders of templates for it.
KINDS = {
    "numpy": ("numpy",),
    "composed": ("composed",),
    "native-c": ("native", "native-c"),
    "native-cython": ("native", "native-cython"),
    "numba": ("native", "numba"),
}

_DISTRIBUTION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_OPERATOR = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Project:
    """The answers that a project is made from.

    Parameters
    ----------
    name : str
        Of the distribution.
    kind : str, default "numpy"
        How the operator is written, one of `KINDS`.
    layer : bool, default False
        Whether there is a layer around the operator.
    operator : str, optional
        Its registered name; by default that of the package, without ``opforge_`` before it.

    Raises
    ------
    ScaffoldError
        A name or the kind cannot be used.

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
        if self.kind not in KINDS:
            raise ScaffoldError(
                f"opforge new: the kind is {self.kind!r}, expected one of {', '.join(KINDS)}"
            )
        if not self.operator:
            object.__setattr__(self, "operator", self.package.removeprefix("opforge_"))
        if not _OPERATOR.fullmatch(self.operator) or keyword.iskeyword(self.operator):
            raise ScaffoldError(
                f"opforge new: {self.operator!r} cannot be called as nd.{self.operator}; give "
                "another name of the operator with --operator, for instance acme_swish"
            )

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
        """Name of the declaration and of the layer."""
        return "".join(part[0].upper() + part[1:] for part in self.operator.split("_") if part)

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders of templates that the project is made from, in this order."""
        return ("common", *KINDS[self.kind], *(("layer",) if self.layer else ()))

    @property
    def values(self) -> dict[str, Any]:
        """What the templates may ask for."""
        return {
            **asdict(self),
            "package": self.package,
            "plugin": self.plugin,
            "class_name": self.class_name,
            "opforge_version": ".".join(VERSION.split(".")[:2]),
        }


def _can_be_a_module(package: str) -> bool:
    taken = package in sys.stdlib_module_names or package == "opforge"
    return package.isidentifier() and not keyword.iskeyword(package) and not taken
