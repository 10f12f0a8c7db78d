"""Storage types of arrays, indexed by MXNet's codes."""

__all__ = ["STORAGE_TYPES"]

STORAGE_TYPES = ("default", "row_sparse", "csr")
