"""The MPI library, loaded on first use.

`import opforge_mpi` does not need it, so that the plugin can be listed on a machine without MPI,
and an error can say what to install.
"""

from importlib.util import find_spec
from types import ModuleType

from opforge.plugin_api import OpforgeError

__all__ = ["MissingMPIError", "expect_installed", "load"]


class MissingMPIError(OpforgeError, ImportError):
    """Error raised if mpi4py is missing or finds no MPI library.

    Parameters
    ----------
    reason : str
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"opforge-mpi: MPI cannot be loaded ({reason}). "
            "Run pip install 'opforge-mpi[mpich]' to install mpi4py and MPICH, or pip install "
            "mpi4py to use an MPI library that is installed on the machine"
        )


def expect_installed() -> None:
    """Raise MissingMPIError if mpi4py is not installed, without starting MPI."""
    if find_spec("mpi4py") is None:
        raise MissingMPIError("mpi4py is not installed")


def load() -> ModuleType:
    """Return the module ``mpi4py.MPI``; its first import starts MPI.

    Raises
    ------
    MissingMPIError
        mpi4py is missing or finds no MPI library.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError, OSError) as error:
        raise MissingMPIError(f"{type(error).__name__}: {error}") from error
    return MPI
