"""Table of a network's layers: `opforge.summary`."""

from .network import Summary as Summary
from .network import summary as summary

__all__ = ["Summary", "summary"]
