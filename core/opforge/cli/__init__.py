"""Command line: ``opforge ops``, ``plugins``, ``doctor``, ``model``."""

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of the process."""
    import gc

    from .app import app

    # Imported objects live until exit; garbage collection among them takes a sixth of a listing.
    gc.freeze()
    app()
