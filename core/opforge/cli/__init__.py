"""The command line: ``opforge ops``, ``plugins``, ``doctor``, ``bench``."""

__all__ = ["main"]


def main() -> None:
    """Run the command line with the process's arguments."""
    import gc

    from .app import app

    # What is imported stays until the end: looking for garbage in it would take a sixth of a list.
    gc.freeze()
    app()
