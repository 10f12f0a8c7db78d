"""`AttrScope`: attributes that symbols made in a ``with`` block get, and how they are kept."""

from collections import defaultdict
from typing import ClassVar

from .base.node_attributes import HIDDEN
from .base.scopes import ScopeType

__all__ = ["AttrScope", "shown", "stored"]


def stored(attributes: dict[str, str]) -> dict[str, str]:
    """Return attributes as a node keeps them: MXNet's own ones with two underscores on each side.

    Examples
    --------
    >>> stored({"lr_mult": "2", "mood": "angry"})
    {'__lr_mult__': '2', 'mood': 'angry'}
    """
    return {f"__{key}__" if key in HIDDEN else key: value for key, value in attributes.items()}


def shown(attributes: dict[str, str]) -> dict[str, str]:
    """Return attributes as programs read them: MXNet's own ones under both of their names.

    Examples
    --------
    >>> shown({"__lr_mult__": "2"})
    {'__lr_mult__': '2', 'lr_mult': '2'}
    """
    plain = {key: attributes[f"__{key}__"] for key in HIDDEN if f"__{key}__" in attributes}
    return {**attributes, **plain} if plain else dict(attributes)


class AttrScope(metaclass=ScopeType):
    """Attach attributes to the symbols that are made in a ``with`` block.

    ``AttrScope.current`` is the innermost scope of the thread.

    Parameters
    ----------
    **attributes : str
        Names and values; an inner scope adds to what the outer ones give and may replace it.

    Raises
    ------
    ValueError
        A value is no string.

    Examples
    --------
    >>> with AttrScope(ctx_group="first"), AttrScope(stage="1"):
    ...     AttrScope.current.get({"stage": "2"})
    {'ctx_group': 'first', 'stage': '2'}
    """

    #: How many subgraphs of loops and branches were named so; programs start it anew.
    _subgraph_names: ClassVar[defaultdict[str, int]] = defaultdict(int)

    def __init__(self, **attributes: str) -> None:
        for key, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError(
                    f"AttrScope: attribute {key!r} is {value!r}, expected a string; pass str(...)"
                )
        self._own = attributes
        self._attr = attributes
        self._outer: list[AttrScope] = []

    def get(self, attributes: dict[str, str] | None) -> dict[str, str]:
        """Return the scope's attributes, replaced by and united with `attributes`."""
        return {**self._attr, **(attributes or {})}

    def __enter__(self) -> "AttrScope":
        outer: AttrScope = AttrScope.current
        self._outer.append(outer)
        self._attr = {**outer._attr, **self._own}
        AttrScope.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        self._attr = self._own
        AttrScope.current = self._outer.pop()
