"""A contribution of a project: its kind and the names derived from its name."""

import keyword
import re
from dataclasses import dataclass
from typing import Any

from opforge.base.errors import ScaffoldError
from opforge.op.registry.kinds import KINDS as NOUNS

__all__ = ["KINDS", "OPERATORS", "Contribution"]

#: Implementation of an operator -> its template folders.
OPERATORS = {
    "numpy": ("operator", "numpy"),
    "composed": ("operator", "composed"),
    "kernel": ("operator", "kernel"),
    "native-c": ("operator", "native", "native-c"),
    "native-cython": ("operator", "native", "native-cython"),
    "numba": ("operator", "native", "numba"),
}
#: Other kind of contribution -> its template folders.
KINDS = OPERATORS | {
    noun: ("contribution", noun)
    for noun in (
        "optimizer",
        "initializer",
        "metric",
        "kvstore",
        "loss",
        "scheduler",
        "dataset",
        "iterator",
        "model",
        "exporter",
        "backend",
        "module",
    )
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Kinds whose name is chosen; others are registered under their class name.
_NAMED = ("operator", "kvstore", "model", "module")


@dataclass(frozen=True)
class Contribution:
    """One operator, optimizer, metric, ... of a project.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    name : str
        Registered name, or words from which the class name is derived.

    Raises
    ------
    ScaffoldError
        The kind or the name cannot be used.

    Examples
    --------
    >>> contribution = Contribution("optimizer", "ada_belief")
    >>> contribution.registered, contribution.snake, contribution.group
    ('AdaBelief', 'ada_belief', 'opforge.optimizers')
    """

    kind: str
    name: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ScaffoldError(
                f"opforge new: the kind is {self.kind!r}, expected one of {', '.join(KINDS)}"
            )
        if not _NAME.fullmatch(self.name) or keyword.iskeyword(self.name):
            expression = NOUNS[self.noun].call(self.name)
            raise ScaffoldError(
                f"opforge new: {self.name!r} cannot be called as {expression}; pass another name "
                f"of the {self.noun} with --operator, for instance acme_swish"
            )

    @property
    def noun(self) -> str:
        """Kind of contribution, one of `op.registry.kinds.KINDS`."""
        return "operator" if self.kind in OPERATORS else self.kind

    @property
    def group(self) -> str:
        """Entry point group of the contribution."""
        return NOUNS[self.noun].group

    @property
    def class_name(self) -> str:
        """Name of the class."""
        return "".join(part[0].upper() + part[1:] for part in self.name.split("_") if part)

    @property
    def snake(self) -> str:
        """Name in snake case, for a module or a function."""
        if self.noun == "operator":
            return self.name
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name).lower()

    @property
    def registered(self) -> str:
        """Name in programs."""
        return self.name if self.noun in _NAMED else self.class_name

    @property
    def object(self) -> str:
        """Object that its entry point names: a class, a model function, or a module."""
        return self.snake if self.noun in ("model", "module") else self.class_name

    @property
    def values(self) -> dict[str, Any]:
        """Return the values for templates."""
        return {
            "kind": self.kind,
            "noun": self.noun,
            "name": self.name,
            "operator": self.snake,
            "class_name": self.class_name,
            "registered": self.registered,
            "object": self.object,
            "group": self.group,
            "use": NOUNS[self.noun].call(self.registered),
        }
