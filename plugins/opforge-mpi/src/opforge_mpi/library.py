"""The MPI library, loaded when it is first needed.

`import opforge_mpi` needs none, so that a machine without MPI can list the plugin and be told what
to install.
"""

from importlib.util import find_spec
from types import ModuleType

from opforge.plugin_api import OpforgeError

__all__ = ["MissingMPIError", "expect_installed", "load"]


class MissingMPIError(OpforgeError, ImportError):
    """There is no mpi4py, or it finds no MPI library.

    Parameters
    ----------
    reason : str
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"opforge-mpi: MPI cannot be loaded ({reason}). "
            "pip install 'opforge-mpi[mpich]' brings mpi4py and MPICH; where the machine has an "
            "MPI of its own, pip install mpi4py uses that"
        )


def expect_installed() -> None:
    """Raise MissingMPIError where mpi4py is not installed; MPI is not started."""
    if find_spec("mpi4py") is None:
        raise MissingMPIError("mpi4py is not installed")


def load() -> ModuleType:
    """Return the module ``mpi4py.MPI``, which starts MPI when it is first imported.

    Raises
    ------
    MissingMPIError
        There is no mpi4py, or it finds no MPI.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError, OSError) as error:
        raise MissingMPIError(f"{type(error).__name__}: {error}") from error
    return MPI
