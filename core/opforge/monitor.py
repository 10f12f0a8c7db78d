"""`Monitor`: statistics of what is inside an executor, every so many batches."""

import logging
import re
from collections.abc import Callable
from math import sqrt
from typing import Any

from .base.c_library import py_str
from .ndarray import NDArray

__all__ = ["Monitor"]

_Row = tuple[int, str, Any]


class Monitor:
    """Collects a statistic of each output inside an executor, and of each argument.

    Parameters
    ----------
    interval : int
        Collect in every so many batches.
    stat_func : callable, optional
        Makes the statistic, an NDArray or a list of them, from an NDArray. Default: its norm over
        the square root of its size.
    pattern : str, default ".*"
        Regular expression; only arrays whose name it matches are looked at.
    sort : bool, default False
        Sort the rows by name.
    monitor_all : bool, default False
        Also look at the inputs of each operator.

    Examples
    --------
    >>> from opforge import monitor
    >>> watch = monitor.Monitor(interval=1, pattern=".*weight")
    >>> watch.toc()
    []
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval = interval
        self.stat_func = stat_func or _norm_per_element
        self.sort = sort
        self.monitor_all = monitor_all
        self.re_prog = re.compile(pattern)
        self.activated = False
        self.step = 0
        self.queue: list[_Row] = []
        self.exes: list[Any] = []

    def install(self, exe: Any) -> None:
        """Look into an executor from now on.

        Parameters
        ----------
        exe : Executor
        """
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def stat_helper(self, name: bytes, array: NDArray) -> None:
        """Take in an array inside an executor; executors call it."""
        self._collect(py_str(name), array)

    def _collect(self, name: str, array: NDArray) -> None:
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def tic(self) -> None:
        """Begin a batch: collect, if it is one of every `interval`."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch.

        Returns
        -------
        list of (int, str, str)
            Batch, name and statistic of what was collected since `tic`, arguments and auxiliary
            states last.
        """
        if not self.activated:
            return []
        for exe in self.exes:
            for arrays in (exe.arg_dict, exe.aux_dict):
                for name, array in arrays.items():
                    self._collect(name, array)
        self.activated = False
        rows = sorted(self.queue, key=lambda row: row[1]) if self.sort else self.queue
        self.queue = []
        return [(step, name, _text(values)) for step, name, values in rows]

    def toc_print(self) -> None:
        """End a batch and log what was collected."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %-30s %s", step, name, text)


def _norm_per_element(array: NDArray) -> NDArray:
    return array.norm() / sqrt(array.size)


def _text(values: Any) -> str:
    """Return the values of a statistic, each followed by a tab."""
    arrays = values if isinstance(values, list) else [values]
    assert all(isinstance(array, NDArray) for array in arrays), (
        "Monitor: stat_func must return an NDArray or a list of NDArray, got "
        f"{type(values).__name__}"
    )
    return "".join(str(_number_or_array(array)) + "\t" for array in arrays)


def _number_or_array(array: NDArray) -> Any:
    return array.asscalar() if array.shape in ((), (1,)) else array.asnumpy()
