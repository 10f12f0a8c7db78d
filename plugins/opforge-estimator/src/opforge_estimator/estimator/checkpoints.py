"""Checkpoints in a folder: ``prefix-epoch1batch8.params`` and ``.states``.

The states are written first, so a checkpoint with parameters is complete.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from opforge.plugin_api import files

__all__ = ["Checkpoints", "Point"]


class Point(NamedTuple):
    """Progress of a training: the last epoch and the number of batches, from the file name."""

    epoch: int
    batch: int


class Checkpoints:
    """Checkpoints of one training.

    Parameters
    ----------
    folder : path-like
        Made where it is missing.
    prefix : str
        Prefix of file names.
    most : int
        Maximum number of checkpoints; older ones are removed.
    """

    def __init__(self, folder: Any, prefix: str, most: int) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._prefix = prefix
        self._most = most
        self._points: list[Point] = []

    def path(self, name: str) -> str:
        """Return the path of a file, ``folder/prefix-name``."""
        return str(self._folder / f"{self._prefix}-{name}")

    def read(self) -> Point | None:
        """Find existing checkpoints and return the latest."""
        pattern = re.compile(re.escape(self._prefix) + r"-epoch(\d+)batch(\d+)\.params")
        found = (pattern.fullmatch(path.name) for path in self._folder.iterdir())
        self._points = sorted(Point(int(m[1]), int(m[2])) for m in found if m)
        return self._points[-1] if self._points else None

    def save(self, point: Point, net: Any, trainer: Any) -> str:
        """Write a checkpoint and remove the oldest ones beyond the limit; return its name."""
        name = _name(point)
        self.save_as(name, net, trainer)
        self._points = [p for p in self._points if p != point] + [point]
        while len(self._points) > self._most:
            self._remove(self._points.pop(0))
        return f"{self._prefix}-{name}"

    def save_as(self, name: str, net: Any, trainer: Any) -> None:
        """Write the parameters and the optimizer's states to files that are never removed."""
        with files.replacing_together():
            trainer.save_states(self.path(f"{name}.states"))
            net.save_parameters(self.path(f"{name}.params"))

    def load(self, point: Point, net: Any, trainer: Any, ctx: Any) -> None:
        """Load a checkpoint into the network and the trainer.

        Raises
        ------
        FileNotFoundError
            The states are missing; nothing was changed.
        """
        trainer.load_states(self.path(f"{_name(point)}.states"))
        net.load_parameters(self.path(f"{_name(point)}.params"), ctx=ctx)

    def _remove(self, point: Point) -> None:
        for kind in ("params", "states"):
            Path(self.path(f"{_name(point)}.{kind}")).unlink(missing_ok=True)


def _name(point: Point) -> str:
    return f"epoch{point.epoch}batch{point.batch}"
