"""MXNet's version of opforge's files: the same text without the bill of materials."""

import re

_BILL = re.compile(r'"attrs": \{\n    ("mxnet_version": \[[^]]*\]), .*\n  \}\n\}\Z', re.DOTALL)


def as_mxnet_writes(symbol) -> str:
    """Return `symbol.tojson()` as MXNet saves it again: unknown entries are dropped."""
    return _BILL.sub(r'"attrs": {\1}\n}', symbol.tojson())
