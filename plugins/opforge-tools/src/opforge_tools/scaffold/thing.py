"""One thing in a project: how it is written, and the names that follow from its own."""

import keyword
import re
from dataclasses import dataclass
from typing import Any

from opforge.base.errors import ScaffoldError
from opforge.op.registry.kinds import KINDS as NOUNS

__all__ = ["KINDS", "OPERATORS", "Thing"]

#: How an operator can be written -> the folders of templates for it.
OPERATORS = {
    "numpy": ("operator", "numpy"),
    "composed": ("operator", "composed"),
    "kernel": ("operator", "kernel"),
    "native-c": ("operator", "native", "native-c"),
    "native-cython": ("operator", "native", "native-cython"),
    "numba": ("operator", "native", "numba"),
}
#: What a project can be of -> the folders of templates for it.
KINDS = OPERATORS | {
    noun: ("thing", noun)
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
        "module",
    )
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Of these the name is chosen; others are registered under the name of their class.
_NAMED = ("operator", "kvstore", "model", "module")


@dataclass(frozen=True)
class Thing:
    """One operator, optimizer, metric, ... of a project.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    name : str
        Its registered name, or words that the name of its class is made from.

    Raises
    ------
    ScaffoldError
        The kind or the name cannot be used.

    Examples
    --------
    >>> thing = Thing("optimizer", "ada_belief")
    >>> thing.registered, thing.snake, thing.group
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
            place = NOUNS[self.noun].place.format(name=self.name)
            raise ScaffoldError(
                f"opforge new: {self.name!r} cannot be called as {place}; give another name of "
                f"the {self.noun} with --operator, for instance acme_swish"
            )

    @property
    def noun(self) -> str:
        """Kind of contribution, one of `op.registry.kinds.KINDS`."""
        return "operator" if self.kind in OPERATORS else self.kind

    @property
    def group(self) -> str:
        """The entry point group by which it is found."""
        return NOUNS[self.noun].group

    @property
    def class_name(self) -> str:
        """Name of its class."""
        return "".join(part[0].upper() + part[1:] for part in self.name.split("_") if part)

    @property
    def snake(self) -> str:
        """Its name in small letters, for a module or a function."""
        if self.noun == "operator":
            return self.name
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name).lower()

    @property
    def registered(self) -> str:
        """The name by which programs get it."""
        return self.name if self.noun in _NAMED else self.class_name

    @property
    def object(self) -> str:
        """Object that its hook imports: a class, a model's function, or a module."""
        return self.snake if self.noun in ("model", "module") else self.class_name

    @property
    def values(self) -> dict[str, Any]:
        """Return the values that templates may use."""
        return {
            "kind": self.kind,
            "noun": self.noun,
            "name": self.name,
            "operator": self.snake,
            "class_name": self.class_name,
            "registered": self.registered,
            "object": self.object,
            "group": self.group,
            "use": NOUNS[self.noun].place.format(name=self.registered),
        }
