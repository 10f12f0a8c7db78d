"""Programs in separate processes, for tests that may end or hang a process."""

import os
import subprocess
import sys
import textwrap

LIMIT = 150  # seconds after which a program counts as hung, also on a busy machine


def run_program(program: str, expected: int = 0, **environment: str) -> str:
    """Run `program` in a fresh interpreter; return what it printed.

    Signals have their usual handlers even if this process was started in the background.
    """
    prelude = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore::DeprecationWarning",
            "-c",
            prelude + textwrap.dedent(program),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},  # NumPy's are not ours
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Fatal" not in done.stderr, done.stderr
    return done.stdout
