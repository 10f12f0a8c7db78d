"""Scopes that set recording and training mode of the calling thread."""

from ..native.dispatch import tape

__all__ = [
    "is_recording",
    "is_training",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


def record(train_mode: bool = True) -> tape.Scope:
    """Return a ``with`` block in which calls are recorded for `backward`.

    Parameters
    ----------
    train_mode : bool, default True
        Whether operators behave as in training inside the block.
    """
    return tape.Scope(True, train_mode)


def pause(train_mode: bool = False) -> tape.Scope:
    """Return a ``with`` block in which calls are not recorded.

    Parameters
    ----------
    train_mode : bool, default False
        Whether operators behave as in training inside the block.
    """
    return tape.Scope(False, train_mode)


def train_mode() -> tape.Scope:
    """Return a ``with`` block of training mode; recording is unchanged."""
    return tape.Scope(None, True)


def predict_mode() -> tape.Scope:
    """Return a ``with`` block of prediction mode; recording is unchanged."""
    return tape.Scope(None, False)


def is_recording() -> bool:
    """Return whether this thread records."""
    return bool(tape.recording())


def is_training() -> bool:
    """Return whether this thread is in training mode."""
    return bool(tape.training())


def set_recording(is_recording: bool) -> bool:
    """Set this thread's recording state and return the previous one."""
    return bool(tape.set_recording(_as_flag(is_recording, "set_recording")))


def set_training(train_mode: bool) -> bool:
    """Set this thread's training mode and return the previous one."""
    return bool(tape.set_training(_as_flag(train_mode, "set_training")))


def _as_flag(value: bool, where: str) -> bool:
    if value not in (True, False):
        raise TypeError(f"{where} got {value!r}, expected True or False")
    return bool(value)
