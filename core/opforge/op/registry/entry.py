"""`Entry`: one row of the registry, and how errors and tables name its provider."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["CORE", "Entry"]

#: Provider of the primitive operators.
CORE = "opforge"


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered operator or layer.

    Parameters
    ----------
    name : str
        As it was registered; an alias has an entry of its own.
    prop_class : type
        The declaration; for a layer the class of the block, for a module itself or its import
        path.
    provider, version : str
        Distribution, both empty for what the program itself registered.
    kind : {"std", "plugin", "custom"}
    """

    name: str
    prop_class: Any
    provider: str = ""
    version: str = ""
    kind: str = "custom"

    @property
    def operator_version(self) -> int:
        """Version of the operator's meaning, as its declaration says; 1 for a layer."""
        # The core has no class for layers below `gluon`, and a custom Prop has no such field.
        version = getattr(self.prop_class, "version", 1)
        return version if isinstance(version, int) else 1

    @property
    def thing(self) -> Any:
        """The declaration; a module that is given by its import path is imported now."""
        found = self.prop_class
        return import_module(found) if isinstance(found, str) else found

    @property
    def object_name(self) -> str:
        """Qualified name of the declaration, its module included."""
        thing = self.prop_class
        if isinstance(thing, str):
            return thing
        if isinstance(thing, ModuleType):
            return thing.__name__
        return f"{thing.__module__}.{thing.__qualname__}"

    @property
    def provider_text(self) -> str:
        """Distribution and version, or an empty string."""
        return f"{self.provider} {self.version}".strip()

    @property
    def origin_text(self) -> str:
        """Provider in words."""
        if self.kind == "std":
            return f"std of {self.provider_text}"
        if self.kind == "plugin":
            return f"plugin {self.provider_text}"
        return "registered in this program"

    @property
    def full_name(self) -> str:
        """The name that only this provider answers to, ``distribution::name``."""
        return f"{self.provider}::{self.name}" if self.provider else self.name

    @property
    def versioned_name(self) -> str:
        """The name that only this entry answers to, ``distribution::name@version``."""
        return f"{self.full_name}@{self.operator_version}"
