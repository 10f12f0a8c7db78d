"""`ProfilingMixin`: `Estimator.profile`."""

from collections.abc import Sequence
from typing import Any

from .events import EventHandler, handler_list
from .profile import Profile
from .profile_handler import ProfileHandler

__all__ = ["ProfilingMixin"]


class ProfilingMixin:
    """Base class of `Estimator` with `profile`."""

    def profile(
        self: Any,
        train_data: Any,
        labels: Any = None,
        batches: int = 20,
        event_handlers: EventHandler | Sequence[EventHandler] | None = None,
        batch_axis: int = 0,
        *,
        skip: int = 2,
        batch_size: int = 32,
    ) -> Profile:
        """Train on a few batches, and return how long each phase and operator takes.

        Parameters are updated as in `fit`. To profile a part of a longer training, pass a
        `ProfileHandler` to `fit`.

        Parameters
        ----------
        train_data, labels, event_handlers, batch_axis, batch_size
            As in `fit`.
        batches : int, default 20
            Number of batches to profile.
        skip : int, default 2
            Number of batches before them, in which libraries are loaded and graphs compiled.

        Returns
        -------
        Profile
            A table of phases, among them waiting for data, and of operators.

        Raises
        ------
        ValueError
            `fit` or `ProfileHandler` rejects an argument, or a handler ends the training early.
        """
        handler = ProfileHandler(batches, skip)
        handlers = [*handler_list(event_handlers), handler]
        try:
            self.fit(
                train_data,
                labels,
                batches=skip + batches,
                event_handlers=handlers,
                batch_axis=batch_axis,
                batch_size=batch_size,
            )
        finally:
            handler.stop()
        if handler.profile is None:
            raise ValueError(
                f"profile: training ended after {handler.current_batch} batches, of which the "
                f"first {skip} are skipped; pass a lower skip, or no handler that stops it"
            )
        return handler.profile
