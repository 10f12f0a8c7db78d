"""`Monitor`: statistics of the arrays inside an executor at intervals of batches."""

import logging
import re
from collections.abc import Callable
from math import sqrt
from typing import Any

from opforge.ndarray import NDArray

from .base.c_library import py_str

__all__ = ["Monitor"]

_Row = tuple[int, str, Any]


class Monitor:
    """Collector of a statistic of each internal output and argument of an executor.

    Parameters
    ----------
    interval : int
        Number of batches between collections.
    stat_func : callable, optional
        Maps an NDArray to the statistic, an NDArray or a list of them. Default: the norm divided by
        the square root of the size.
    pattern : str, default ".*"
        Regular expression; only arrays with matching names are monitored.
    sort : bool, default False
        Sort the rows by name.
    monitor_all : bool, default False
        Also monitor the inputs of each operator.

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
        """Install the monitor on an executor.

        Parameters
        ----------
        exe : Executor
        """
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def stat_helper(self, name: bytes, array: NDArray) -> None:
        """Record an array; called by executors."""
        self._collect(py_str(name), array)

    def _collect(self, name: str, array: NDArray) -> None:
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def tic(self) -> None:
        """Start a batch; collect if it is due."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """End a batch.

        Returns
        -------
        list of (int, str, str)
            Batch, name and statistic of each array collected since `tic`, arguments and auxiliary
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
