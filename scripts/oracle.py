"""Run the tests that compare with MXNet 1.9.1, which tox installs into a separate environment.

    python scripts/oracle.py [ARGUMENTS OF PYTEST]

MXNet 1.9.1 needs Python 3.10 and NumPy before 1.24. `OPFORGE_ORACLE`, if set, is an interpreter
that has them; otherwise ``tox -e oracle-mxnet`` creates one from the Python 3.10 of the system or
pyenv.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = "oracle-mxnet"


def works(interpreter: str | Path) -> bool:
    """Return whether an interpreter is Python 3.10; pyenv's shims may have any version."""
    code = "import sys; sys.exit(sys.version_info[:2] != (3, 10))"
    done = subprocess.run([interpreter, "-c", code], capture_output=True, check=False)
    return done.returncode == 0


def python310() -> str:
    """Return a Python 3.10 of the system, or one that pyenv has installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [shutil.which("python3.10"), *sorted(pyenv.glob("versions/3.10*/bin/python3.10"))]
    for candidate in candidates:
        if candidate is not None and works(candidate):
            return str(candidate)
    raise SystemExit(
        "MXNet 1.9.1 needs Python 3.10, which was not found on PATH or among pyenv's versions; "
        "install it, for instance with: pyenv install 3.10"
    )


def make_interpreter() -> str:
    """Let tox create the environment; return its interpreter."""
    tox = [sys.executable, "-m", "tox"]
    outer = {k: v for k, v in os.environ.items() if not k.startswith(("TOX_", "VIRTUAL_ENV"))}
    chosen = ["-e", ENVIRONMENT, "--discover", python310()]
    made = [*tox, "run", *chosen, "--skip-missing-interpreters", "false"]
    subprocess.run(made, cwd=ROOT, env=outer, check=True)
    asked = [*tox, "config", *chosen, "-k", "env_python"]
    shown = subprocess.run(
        asked, cwd=ROOT, env=outer, check=True, capture_output=True, text=True
    ).stdout
    return shown.rpartition("=")[2].strip()


def main() -> int:
    """Run the tests; return pytest's status."""
    environment = dict(os.environ)
    environment["OPFORGE_ORACLE"] = os.environ.get("OPFORGE_ORACLE") or make_interpreter()
    # The zoo's parameters would take 12 GB if they were kept.
    tidy = ["-o", "tmp_path_retention_policy=failed"]
    command = [sys.executable, "-m", "pytest", *tidy, str(ROOT / "tests" / "oracle")]
    command += sys.argv[1:]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
