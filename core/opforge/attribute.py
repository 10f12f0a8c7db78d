"""`AttrScope`: attributes of the symbols created in a ``with`` block, and how nodes store them."""

from collections import defaultdict
from typing import Any, ClassVar

from .base.module_aliases import add_aliases as _add_aliases
from .base.node_attributes import HIDDEN
from .base.scopes import ScopeType

__all__ = ["AttrScope", "shown", "stored"]


def stored(attributes: dict[str, str]) -> dict[str, str]:
    """Return attributes as a node stores them, with MXNet's own names in double underscores.

    Examples
    --------
    >>> stored({"lr_mult": "2", "mood": "angry"})
    {'__lr_mult__': '2', 'mood': 'angry'}
    """
    return {f"__{key}__" if key in HIDDEN else key: value for key, value in attributes.items()}


def shown(attributes: dict[str, str]) -> dict[str, str]:
    """Return attributes as programs read them, with MXNet's own attributes under both names.

    Examples
    --------
    >>> shown({"__lr_mult__": "2"})
    {'__lr_mult__': '2', 'lr_mult': '2'}
    """
    plain = {key: attributes[f"__{key}__"] for key in HIDDEN if f"__{key}__" in attributes}
    return {**attributes, **plain} if plain else dict(attributes)


def _text(value: Any) -> str:
    """Return the text of an attribute: of an initializer, the one that creates it again."""
    if isinstance(value, str):
        return value
    return str(value.dumps() if hasattr(value, "dumps") else value)


class AttrScope(metaclass=ScopeType):
    """Attach attributes to the symbols created in a ``with`` block.

    ``AttrScope.current`` is the innermost scope of the thread.

    Parameters
    ----------
    **attributes : str
        Names and values; an inner scope extends and overrides those of the outer ones.

    Raises
    ------
    ValueError
        A value is not a string.

    Examples
    --------
    >>> with AttrScope(ctx_group="first"), AttrScope(stage="1"):
    ...     AttrScope.current.get({"stage": "2"})
    {'ctx_group': 'first', 'stage': '2'}
    """

    #: Number of subgraphs of loops and branches per name; programs may reset it.
    _subgraph_names: ClassVar[defaultdict[str, int]] = defaultdict(int)

    def __init__(self, **attributes: str) -> None:
        for key, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError(
                    f"AttrScope: attribute {key!r} is {value!r}; expected a string. Pass str(...)"
                )
        self._own = attributes
        self._attr = attributes
        self._outer: list[AttrScope] = []

    def get(self, attr: dict[str, Any] | None) -> dict[str, str]:
        """Return the scope's attributes, updated with the texts of those of `attr`."""
        own = {key: _text(value) for key, value in attr.items()} if attr else {}
        return {**self._attr, **own}

    def __enter__(self) -> "AttrScope":
        outer: AttrScope = AttrScope.current
        self._outer.append(outer)
        self._attr = {**outer._attr, **self._own}
        AttrScope.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        self._attr = self._own
        AttrScope.current = self._outer.pop()


_add_aliases(__name__)
