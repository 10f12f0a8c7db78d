"""The command line: ``opforge ops``, ``plugins``, ``doctor``, ``bench``."""

__all__ = ["main"]


def main() -> None:
    """Run the command line with the process's arguments."""
    from .app import app

    app()
