"""Worker processes, and the evaluation of the calls that they make."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")


class Worker:
    """One process, which is replaced when it dies."""

    def __init__(self):
        self.process = None
        self.errors = None

    def _start(self):
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the process)
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OPFORGE_NUM_THREADS": "2"},
        )
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError(f"the worker does not start:\n{self._end()}")

    def _end(self):
        """Reap the process and return the end of its error stream."""
        status = self.process.wait()
        self.errors.seek(0)
        text = self.errors.read()
        self.close()
        return f"status {status}\n{text[-6000:]}"

    def close(self):
        """End the process."""
        if self.process is None:
            return
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.errors.close()
        self.process = None

    def findings(self, calls):
        """Make the calls; return problems as pairs of a call and a text."""
        if self.process is None:
            self._start()
        try:
            self.process.stdin.write(json.dumps(calls) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return [(None, f"the worker died between two batches: {self._end()}")]
        last, found = 0, []
        for line in self.process.stdout:
            if line == "done\n":
                return found
            reply = json.loads(line)
            if isinstance(reply, int):
                last = reply
            else:
                found.append((calls[reply[0]], reply[1]))
        return [*found, (calls[last], f"the process ended: {self._end()}")]


def program(call):
    """Return a call as a program that repeats it."""
    head = ["# in the folder tests/hostile", "from fitting import *", "from provisions import *"]
    return "\n".join(f"    {line}" for line in [*head, *call["setup"], call["call"]])


def report(found):
    """Return findings as the text of a failure."""
    return "\n\n".join(
        f"{wrong}\n  in\n{program(call) if call else ''}" for call, wrong in found[:3]
    )
