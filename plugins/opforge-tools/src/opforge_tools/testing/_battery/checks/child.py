"""Work in a process of its own that may die: what it said until then is not lost.

It is a copy of this process (a fork), so that declarations and samples need not be sent to it.
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

#: What the work calls with anything that can be pickled.
Say = Callable[[Any], None]


@dataclass
class Ended:
    """Result of work in a child process.

    Parameters
    ----------
    fate : str
        How the process ended before its time, as in "ended the process by SIGSEGV"; or empty.
    said : list
        What the work said, in order.
    value : object
        What the work returned, where it did.
    """

    fate: str = ""
    said: list[Any] = field(default_factory=list)
    value: Any = None


def run_in_child(work: Callable[[Say], Any], silence: float | None = None) -> Ended:
    """Run a function in a child process.

    Parameters
    ----------
    work : callable
        Called with `Say`; what it returns must be something that can be pickled.
    silence : float, optional
        Seconds after which a child that says nothing is ended; None: never.

    Raises
    ------
    Exception
        What the work raised.
    """
    reader, writer = Pipe(duplex=False)
    # What has not been written yet would be written by both.
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python warns of threads; those of opforge start anew in a child.
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
    """Give what the child sends until it ends; one that is silent for too long is ended."""
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
    """Do the work and leave without what else stands at this process's end."""
    status = 1
    try:
        faulthandler.disable()  # a crash is what is looked for
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
    """Return the error, or its text where it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _fate(status: int) -> str:
    if status < 0:
        return f"ended the process by {signal.Signals(-status).name}"
    return f"ended the process with status {status}"
