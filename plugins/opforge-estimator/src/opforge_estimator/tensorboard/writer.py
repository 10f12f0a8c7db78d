"""`SummaryWriter`: writes an event file that TensorBoard shows."""

import os
import time
from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import Any

import numpy as np

from ..arrays import numpy_values
from .graphs import block_graph, symbol_graph
from .images import image_summary

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """Writer of one event file in a folder; ``tensorboard --logdir`` shows all files below one.

    Values may be numbers, NumPy arrays or NDArrays. The file is complete after `close` or at the
    end of a `with` block, and up to date after `flush`.

    Parameters
    ----------
    log_dir : str or path
        Folder of this run; it is created if necessary.
    flush_secs : float, default 30
        Seconds between writes to the file.

    Raises
    ------
    ImportError
        tensorboard is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from opforge.tensorboard import SummaryWriter
    >>> with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
    ...     for step in range(3):
    ...         writer.add_scalar("loss", 1 / (step + 1), step)
    """

    def __init__(self, log_dir: str | os.PathLike[str], flush_secs: float = 30) -> None:
        self.log_dir = os.fspath(log_dir)
        writers = _tensorboard("summary.writer.event_file_writer")
        self._file = writers.EventFileWriter(self.log_dir, flush_secs=flush_secs)
        self._events = _tensorboard("compat.proto.event_pb2")

    def add_scalar(self, tag: str, value: Any, global_step: int = 0) -> None:
        """Write a number.

        Parameters
        ----------
        tag : str
            Name of the diagram; a part before "/" is that of its group.
        value : float or array of one element
        global_step : int, default 0
        """
        scalars = _tensorboard("plugins.scalar.summary_v2")
        self._add(scalars.scalar_pb(tag, float(numpy_values(value).item())), global_step)

    def add_histogram(self, tag: str, values: Any, global_step: int = 0, buckets: int = 30) -> None:
        """Write the distribution of an array's finite values.

        Parameters
        ----------
        tag : str
        values : array
        global_step : int, default 0
        buckets : int, default 30
        """
        found = np.asarray(numpy_values(values), np.float64).ravel()
        finite = found[np.isfinite(found)]
        histograms = _tensorboard("plugins.histogram.summary_v2")
        self._add(histograms.histogram_pb(tag, finite, buckets=buckets), global_step)

    def add_image(self, tag: str, image: Any, global_step: int = 0, layout: str = "CHW") -> None:
        """Write an image, or a batch of images as one.

        Parameters
        ----------
        tag : str
        image : array
            Of shape ``(height, width)``, ``(1 or 3, height, width)`` or with an axis of a batch in
            front; bytes from 0 to 255, or floats from 0 to 1.
        global_step : int, default 0
        layout : {"CHW", "HWC"}, default "CHW"
            Whether the axis of channels is before or after height and width.

        Raises
        ------
        ValueError
            The shape is not that of an image.
        """
        summaries = _tensorboard("compat.proto.summary_pb2")
        self._add(image_summary(summaries, tag, numpy_values(image), layout), global_step)

    def add_text(self, tag: str, text: str, global_step: int = 0) -> None:
        """Write a text, in Markdown."""
        texts = _tensorboard("plugins.text.summary_v2")
        self._add(texts.text_pb(tag, text), global_step)

    def add_graph(self, net: Any, *inputs: Any) -> None:
        """Write the graph of a Symbol, or of a HybridBlock for inputs of these shapes.

        Parameters
        ----------
        net : Symbol or HybridBlock
        *inputs : NDArray
            Inputs of a block.

        Raises
        ------
        TypeError
            `net` is of another type.
        """
        made = block_graph(net, inputs) if inputs else symbol_graph(net)
        event = self._events.Event(graph_def=made.SerializeToString(), wall_time=time.time())
        self._file.add_event(event)

    def add_hparams(self, hyperparameters: Mapping[str, Any]) -> None:
        """Write the hyperparameters of this run, which TensorBoard compares between runs.

        Parameters
        ----------
        hyperparameters : dict of str to bool, int, float or str
            Values of other types are written as text.
        """
        plain = {
            key: value if isinstance(value, bool | int | float | str) else str(value)
            for key, value in hyperparameters.items()
        }
        summaries = _tensorboard("plugins.hparams.summary_v2")
        self._add(summaries.hparams_pb(plain, trial_id=self.log_dir), 0)

    def _add(self, summary: Any, step: int) -> None:
        event = self._events.Event(summary=summary, step=int(step), wall_time=time.time())
        self._file.add_event(event)

    def flush(self) -> None:
        """Write everything to the file."""
        self._file.flush()

    def close(self) -> None:
        """Write everything to the file, and close it."""
        self._file.close()

    def __enter__(self) -> "SummaryWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _tensorboard(name: str) -> Any:
    """Return a module of tensorboard."""
    try:
        return import_module(f"tensorboard.{name}")
    except ImportError as error:
        raise ImportError(
            "opforge.tensorboard needs tensorboard: pip install 'opforge-estimator[tensorboard]'"
        ) from error
