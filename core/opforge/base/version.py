"""Version of opforge; must equal the one in pyproject.toml."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
