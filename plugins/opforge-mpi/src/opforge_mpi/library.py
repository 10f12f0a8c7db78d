"""The MPI library, loaded when it is first needed.

`import opforge_mpi` needs none, so that a machine without MPI can list the plugin and be told what
to install.
"""

from types import ModuleType

from opforge.plugin_api import OpforgeError

__all__ = ["load"]


def load() -> ModuleType:
    """Return the module ``mpi4py.MPI``, which starts MPI when it is first imported.

    Raises
    ------
    OpforgeError
        There is no mpi4py, or it finds no MPI.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError, OSError) as error:
        raise OpforgeError(
            f"opforge-mpi: MPI cannot be loaded ({type(error).__name__}: {error}). "
            "pip install 'opforge-mpi[mpich]' brings mpi4py and MPICH; where the machine has an "
            "MPI of its own, pip install mpi4py uses that"
        ) from error
    return MPI
