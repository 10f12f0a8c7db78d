"""Command line: ``opforge ops``, ``plugins``, ``doctor``, ``model``."""

__all__ = ["main"]

#: Packages that the command line needs in addition to those of the core.
_REQUIRED = ("tomlkit", "typer")


def main() -> None:
    """Run the command line with the arguments of the process."""
    import gc
    import sys

    try:
        from .app import app

        # Imported objects live until exit: collecting garbage takes a sixth of a listing.
        gc.freeze()
        app()
    except ModuleNotFoundError as error:
        if error.name not in _REQUIRED:
            raise
        sys.exit(
            f"opforge: the command line requires {error.name}, which is not installed: "
            "pip install 'opforge[cli]'"
        )
