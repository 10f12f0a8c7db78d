"""Progress of a build: a line that changes on a terminal, a line now and then elsewhere."""

import sys
import threading
import time

__all__ = ["Progress"]

#: Seconds between lines if standard error is not a terminal.
INTERVAL = 5.0


class Progress:
    """Count of finished steps out of `total`, shown on standard error."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._count = 0
        self._began = self._shown = time.monotonic()
        self._lock = threading.Lock()

    def done(self, text: str) -> None:
        """Count a step; `text` describes it."""
        with self._lock:
            self._count += 1
            now = time.monotonic()
            line = f"opforge: [{self._count:3}/{self._total}] {now - self._began:4.0f} s  {text}"
            if sys.stderr.isatty():
                print(f"\r{line:<79.79}", end="", file=sys.stderr, flush=True)
            elif now - self._shown >= INTERVAL:
                self._shown = now
                print(line, file=sys.stderr, flush=True)

    def finish(self, text: str) -> None:
        """End the line, after at least one step, with a summary."""
        if self._count:
            start = "\r" if sys.stderr.isatty() else ""
            seconds = time.monotonic() - self._began
            print(f"{start}{f'opforge: {text} ({seconds:.0f} s)':<79}", file=sys.stderr, flush=True)
