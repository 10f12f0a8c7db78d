"""The version of opforge, for every layer to read; pyproject.toml states the same."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
