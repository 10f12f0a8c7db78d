"""MXNet's ``gluon.contrib``, whose modules plugins provide."""

from ...base.module_aliases import add_aliases as _add_aliases

__all__: list[str] = []

_add_aliases(__name__)
