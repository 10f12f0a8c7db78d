"""`Entry`: a row of the registry, and descriptions of its provider."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["CORE", "Entry"]

#: Provider of the primitive operators.
CORE = "opforge"


@dataclass(frozen=True, slots=True)
class Entry:
    """Registered contribution.

    Parameters
    ----------
    name : str
        Registered name; an alias has its own entry.
    prop_class : type
        Declaration of an operator, class of a layer, or another contribution; a module or its
        import path.
    provider, version : str
        Distribution; both empty for contributions that the program registered.
    kind : {"std", "plugin", "custom"}
    """

    name: str
    prop_class: Any
    provider: str = ""
    version: str = ""
    kind: str = "custom"

    @property
    def operator_version(self) -> int:
        """Version of the operator's semantics, from its declaration; 1 for other contributions."""
        # Layers and a custom Prop have no such field.
        version = getattr(self.prop_class, "version", 1)
        return version if isinstance(version, int) else 1

    @property
    def contribution(self) -> Any:
        """The contribution; a module that is given by its import path is imported."""
        found = self.prop_class
        return import_module(found) if isinstance(found, str) else found

    @property
    def object_name(self) -> str:
        """Qualified name of the declaration, including its module."""
        declared = self.prop_class
        if isinstance(declared, str):
            return declared
        if isinstance(declared, ModuleType):
            return declared.__name__
        return f"{declared.__module__}.{declared.__qualname__}"

    @property
    def provider_text(self) -> str:
        """Distribution and version; empty if the program registered it."""
        return f"{self.provider} {self.version}".strip()

    @property
    def origin_text(self) -> str:
        """Description of the provider, for messages."""
        if self.kind == "std":
            return f"std of {self.provider_text}"
        if self.kind == "plugin":
            return f"plugin {self.provider_text}"
        return "registered in this program"

    @property
    def full_name(self) -> str:
        """The unambiguous name, ``distribution::name``."""
        return f"{self.provider}::{self.name}" if self.provider else self.name

    @property
    def versioned_name(self) -> str:
        """The unambiguous name with version, ``distribution::name@version``."""
        return f"{self.full_name}@{self.operator_version}"
