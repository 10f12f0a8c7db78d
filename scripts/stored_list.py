"""Lists that a script prints, and stores with ``--write`` where a test compares them."""

import sys
from pathlib import Path

__all__ = ["print_or_store"]


def print_or_store(text: str, path: Path) -> None:
    """Print a list, or store it at `path` if the program was called with ``--write``."""
    if "--write" in sys.argv[1:]:
        path.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
