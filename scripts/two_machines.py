"""Run a command on the first of two simulated machines; its mpiexec uses both.

    python scripts/two_machines.py mpiexec -n 2 python train.py
    python scripts/two_machines.py opforge bench mpi --networks --against torch

The machines are network namespaces of this kernel with names, addresses and a virtual cable. MPICH
communicates over TCP between them, as between real machines. Needs root, Linux's `ip` and MPICH.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugins" / "opforge-mpi" / "tests"))
from machines import joined_machines


def main() -> int:
    """Return the status of the command."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder, joined_machines(Path(folder)) as machines:
        command = machines.on_first(*sys.argv[1:])
        return subprocess.run(command, env={**os.environ, **machines.environment}).returncode


if __name__ == "__main__":
    sys.exit(main())
