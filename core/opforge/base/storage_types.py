"""The storage types of arrays; their places are MXNet's numbers for them."""

__all__ = ["STORAGE_TYPES"]

STORAGE_TYPES = ("default", "row_sparse", "csr")
