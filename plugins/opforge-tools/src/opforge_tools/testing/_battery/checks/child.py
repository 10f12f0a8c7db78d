"""Work in a child process that may crash without losing the messages it sent before.

The child is a fork of this process, so declarations and samples need not be sent to it.
"""

import faulthandler
import os
import pickle
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from typing import Any

__all__ = ["Ended", "Say", "run_in_child"]

#: Function that sends a picklable object to the parent.
Say = Callable[[Any], None]


@dataclass
class Ended:
    """Result of work in a child process.

    Parameters
    ----------
    fate : str
        How the process died, for instance "ended the process by SIGSEGV"; empty if it did not.
    said : list
        Messages of the work, in order.
    value : object
        Return value of the work, if it returned.
    """

    fate: str = ""
    said: list[Any] = field(default_factory=list)
    value: Any = None


def run_in_child(work: Callable[[Say], Any], silence: float | None = None) -> Ended:
    """Run a function in a child process.

    Parameters
    ----------
    work : callable
        Called with `Say`; the return value must be picklable.
    silence : float, optional
        Seconds after which a silent child is terminated; None: never.

    Raises
    ------
    Exception
    The exception that the work raised.
    """
    reader, writer = Pipe(duplex=False)
    # Both processes would write text that is still buffered.
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python warns about threads; those of opforge are restarted in a child.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        reader.close()
        _serve(work, writer)
    writer.close()
    ended = Ended()
    finished = False
    try:
        for kind, what in _messages(reader, pid, silence):
            finished = kind in ("raised", "returned")
            if kind == "raised":
                raise what
            if kind == "said":
                ended.said.append(what)
            elif kind == "returned":
                ended.value = what
            else:
                ended.fate = f"did not return within {what:g} s"
    finally:
        reader.close()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not finished:
        ended.fate = ended.fate or _fate(status)
    return ended


def _messages(reader: Connection, pid: int, silence: float | None) -> Iterator[tuple[str, Any]]:
    """Yield the child's messages until it exits; terminate it if it is silent for too long."""
    while True:
        if not reader.poll(silence):
            os.kill(pid, signal.SIGKILL)
            yield "silent", silence
            return
        try:
            yield reader.recv()
        except EOFError:
            return


def _serve(work: Callable[[Say], Any], writer: Connection) -> None:
    """Do the work and exit without running exit handlers."""
    status = 1
    try:
        faulthandler.disable()  # a crash is an expected result
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            message = "returned", work(lambda what: writer.send(("said", what)))
        except BaseException as error:
            message = "raised", _sendable(error)
        writer.send(message)
        sys.stdout.flush()
        sys.stderr.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _sendable(error: BaseException) -> BaseException:
    """Return the error, or its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _fate(status: int) -> str:
    if status < 0:
        return f"ended the process by {signal.Signals(-status).name}"
    return f"ended the process with status {status}"
