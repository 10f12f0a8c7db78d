"""The libraries that cases run in: their arrays, the names in expressions, their threads.

A library is imported when its object is made, and not before: PyTorch costs seconds and hundreds of
megabytes, and may not be there.
"""

import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Any

from .case import Case

__all__ = ["THREAD_VARIABLES", "is_importable", "load", "prepare", "version"]

#: What limits the threads of each library and of those below it, read when they start.
THREAD_VARIABLES = (
    "OPFORGE_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)


class OpforgeLibrary:
    """opforge itself."""

    def __init__(self) -> None:
        from opforge import engine, ndarray

        from .opforge_programs import PROGRAMS

        self._engine, self._nd = engine, ndarray
        self.names = {"nd": ndarray}
        self.programs = PROGRAMS

    def array(self, values: Any, needs_grad: bool) -> Any:
        """Return NumPy values as an array of the library's own memory."""
        array = self._nd.array(values, dtype=values.dtype)
        if needs_grad:
            array.attach_grad()
        return array

    def set_threads(self, count: int) -> None:
        """Set how many threads one operator may use."""
        self._engine.set_num_threads(count)

    def record(self, wanted: bool) -> None:
        """Leave it to the programs, which record in scopes."""

    def wait(self) -> None:
        """Return when all work is done."""
        self._nd.waitall()


class TorchLibrary:
    """PyTorch, imperative; without gradients unless an input asks for one."""

    def __init__(self) -> None:
        import torch

        from .torch_programs import PROGRAMS

        self._torch = torch
        self.names = {"torch": torch, "F": torch.nn.functional}
        self.programs = PROGRAMS

    def array(self, values: Any, needs_grad: bool) -> Any:
        """Return NumPy values as a tensor of the library's own memory."""
        return self._torch.from_numpy(values).clone().requires_grad_(needs_grad)

    def set_threads(self, count: int) -> None:
        """Set how many threads one operator may use."""
        self._torch.set_num_threads(count)

    def record(self, wanted: bool) -> None:
        """Set whether gradients are recorded, which costs something even where none is wanted."""
        self._torch.set_grad_enabled(wanted)

    def wait(self) -> None:
        """Return at once: operators are done when they return."""


class NumpyLibrary:
    """NumPy; elementwise work runs on one thread whatever is set, matrix products on BLAS's."""

    def __init__(self) -> None:
        import numpy

        from .numpy_programs import PROGRAMS

        self.names = {"np": numpy}
        self.programs = PROGRAMS

    def array(self, values: Any, needs_grad: bool) -> Any:
        """Return the values as they are."""
        return values

    def set_threads(self, count: int) -> None:
        """Leave it to the environment variables, which BLAS reads when it is loaded."""

    def record(self, wanted: bool) -> None:
        """Do nothing: there are no gradients."""

    def wait(self) -> None:
        """Return at once: operators are done when they return."""


Library = OpforgeLibrary | TorchLibrary | NumpyLibrary
_CLASSES: dict[str, type[Library]] = {
    "opforge": OpforgeLibrary,
    "torch": TorchLibrary,
    "numpy": NumpyLibrary,
}


def is_importable(name: str) -> bool:
    """Tell whether the library is installed, without importing it."""
    return importlib.util.find_spec(name) is not None


def version(name: str) -> str:
    """Return the installed version of a library, empty where there is none."""
    try:
        return importlib.metadata.version(name)
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
    """Return the function that does a case's work once, its inputs made.

    It is to be called before the next one is prepared: whether gradients are recorded is the
    library's state.

    Raises
    ------
    Exception
        Whatever the library raises, for instance OperatorNotFoundError for a plugin's operator.
    """
    library.record(case.records)
    names: dict[str, Any] = {**library.names, **case.sizes}
    for key, values in case.inputs().items():
        names[key] = library.array(values, case.arrays[key].needs_grad)
    if case.program and case.program in library.programs:
        names |= library.programs[case.program](names)
    run: Callable[[], Any] = eval(f"lambda: {case.expression(name)}", names)
    return run
