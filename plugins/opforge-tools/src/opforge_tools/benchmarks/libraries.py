"""Libraries that cases run in: array creation, names for expressions, thread settings.

A library is imported only when its object is created: PyTorch takes seconds and hundreds of
megabytes, and may not be installed.
"""

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Any

from .case import Case

__all__ = ["THREAD_VARIABLES", "is_importable", "load", "prepare", "version"]

#: Variables that limit the threads of each library and of its dependencies, read at startup.
THREAD_VARIABLES = (
    "OPFORGE_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)


class OpforgeLibrary:
    """Adapter for opforge."""

    def __init__(self) -> None:
        from opforge import engine, ndarray

        from .opforge_programs import PROGRAMS

        self._engine, self._nd = engine, ndarray
        self.names = {"nd": ndarray}
        self.programs = PROGRAMS
        self._interface: Any = ndarray

    def array(self, values: Any, needs_grad: bool) -> Any:
        """Return NumPy values as an opforge array."""
        array = self._interface.array(values, dtype=values.dtype)
        if needs_grad:
            array.attach_grad()
        return array

    def set_threads(self, count: int) -> None:
        """Set how many threads one operator may use."""
        self._engine.set_num_threads(count)

    def use(self, case: Case) -> None:
        """Choose the interface of a case; programs record in scopes."""
        self._interface, self.names = self._nd, {"nd": self._nd}
        if case.uses_np:
            self._interface = importlib.import_module("opforge.np")
            self.names["np"] = self._interface
            self.names["npx"] = importlib.import_module("opforge.npx")

    def wait(self) -> None:
        """Wait until all operators have finished."""
        self._nd.waitall()


class NDLibrary(OpforgeLibrary):
    """Adapter for opforge's `nd` in cases of `mx.np`."""

    def use(self, case: Case) -> None:
        """Do nothing: there is one interface."""


class TorchLibrary:
    """Adapter for PyTorch in eager mode; without gradients unless an input needs one."""

    def __init__(self) -> None:
        import torch

        from .torch_programs import PROGRAMS

        self._torch = torch
        self.names = {"torch": torch, "F": torch.nn.functional}
        self.programs = PROGRAMS

    def array(self, values: Any, needs_grad: bool) -> Any:
        """Return NumPy values as a tensor with its own memory."""
        return self._torch.from_numpy(values).clone().requires_grad_(needs_grad)

    def set_threads(self, count: int) -> None:
        """Set how many threads one operator may use."""
        self._torch.set_num_threads(count)

    def use(self, case: Case) -> None:
        """Set whether gradients are recorded; recording has a cost even if none is computed."""
        self._torch.set_grad_enabled(case.records)

    def wait(self) -> None:
        """Do nothing: operators are synchronous."""


class NumpyLibrary:
    """Adapter for NumPy; elementwise work is single-threaded, matrix products use BLAS threads."""

    def __init__(self) -> None:
        import numpy

        from .numpy_programs import PROGRAMS

        self.names = {"np": numpy}
        self.programs = PROGRAMS

    def array(self, values: Any, needs_grad: bool) -> Any:
        """Return the values unchanged."""
        return values

    def set_threads(self, count: int) -> None:
        """Do nothing: BLAS reads the environment variables when it is loaded."""

    def use(self, case: Case) -> None:
        """Do nothing: there are no gradients."""

    def wait(self) -> None:
        """Do nothing: operators are synchronous."""


Library = OpforgeLibrary | TorchLibrary | NumpyLibrary
_CLASSES: dict[str, type[Library]] = {
    "opforge": OpforgeLibrary,
    "torch": TorchLibrary,
    "numpy": NumpyLibrary,
    "nd": NDLibrary,
}
#: Packages of libraries that have another name.
_PACKAGES = {"nd": "opforge"}


def is_importable(name: str) -> bool:
    """Return whether the library is installed, without importing it."""
    return importlib.util.find_spec(_PACKAGES.get(name, name)) is not None


def version(name: str) -> str:
    """Return the installed version of a library, or an empty string if it is missing."""
    try:
        return importlib.metadata.version(_PACKAGES.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return ""


def load(name: str) -> Library:
    """Import a library.

    Raises
    ------
    ImportError
        It is not installed.
    """
    return _CLASSES[name]()


def prepare(case: Case, name: str, library: Library) -> Callable[[], Any]:
    """Create the inputs of a case and return a function that runs it once.

    Call it before the next case is prepared: whether gradients are recorded is global state of
    the library.

    Raises
    ------
    Exception
        Any error of the library, for instance OperatorNotFoundError for a plugin's operator.
    """
    library.use(case)
    names: dict[str, Any] = {**library.names, **case.sizes}
    for key, values in case.inputs().items():
        names[key] = library.array(values, case.arrays[key].needs_grad)
    if case.program and case.program in library.programs:
        names |= library.programs[case.program](names)
    run: Callable[[], Any] = eval(f"lambda: {case.expression(name)}", names)
    return run
