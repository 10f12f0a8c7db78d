"""`ProfileHandler`: profile of a few batches of a training."""

import math
from typing import Any

from opforge.plugin_api import Measurement, timed

from .events import BatchEnd, TrainBegin, TrainEnd
from .phases import CATEGORY
from .profile import TOTAL, Profile, profile_of

__all__ = ["ProfileHandler"]


class ProfileHandler(TrainBegin, BatchEnd, TrainEnd):
    """Handler that profiles a few batches of a training; `Estimator.profile` runs one.

    Parameters
    ----------
    batches : int, default 20
        Number of batches to profile, with what happens between them.
    skip : int, default 2
        Number of batches before them, in which libraries are loaded and graphs compiled.

    Attributes
    ----------
    profile : Profile or None
        The result, after the last of the batches.

    Raises
    ------
    ValueError
        `batches` is less than 1, or `skip` is negative.

    Examples
    --------
    >>> handler = ProfileHandler(batches=10)
    >>> # estimator.fit(train_data, epochs=3, event_handlers=[handler]); print(handler.profile)
    """

    priority = math.inf  # so that the handlers of all other events are measured

    def __init__(self, batches: int = 20, skip: int = 2) -> None:
        if batches < 1 or skip < 0:
            raise ValueError(
                f"ProfileHandler: got batches={batches} and skip={skip}, expected batches of 1 or "
                "more and skip of 0 or more"
            )
        self.batches = batches
        self.skip = skip
        self.current_batch = 0
        self.profile: Profile | None = None
        self._measurement = Measurement()
        self._total = timed(CATEGORY, TOTAL)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Start counting batches."""
        self.stop()  # of a training that an exception ended
        self.current_batch = 0
        self.profile = None
        if self.skip == 0:
            self._start()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Start or stop if due."""
        self.current_batch += 1
        if self.current_batch == self.skip:
            self._start()
        elif self.current_batch == self.skip + self.batches:
            self.stop()
        return False

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Stop if the training was shorter."""
        self.stop()

    def stop(self) -> None:
        """Stop measuring; `profile` is set if a batch was measured."""
        if self._measurement.is_running:
            self._total.stop()
            calls = self._measurement.stop()
            if self.current_batch > self.skip:
                self.profile = profile_of(calls, self.current_batch - self.skip)

    def _start(self) -> None:
        self._measurement.start()
        self._total.start()
