"""Run the linters on the whole tree; `--fix` lets ruff correct what it can.

Needs the tools of the dependency group ``lint`` in the environment of this Python.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Return 0 when every linter passes."""
    bin_dir = Path(sys.executable).parent
    # cython-lint starts pycodestyle by name.
    env = {**os.environ, "PATH": f"{bin_dir}{os.pathsep}{os.environ.get('PATH', '')}"}
    fix = "--fix" in sys.argv[1:]
    cython = sorted(str(p) for p in ROOT.glob("core/opforge/**/*.p[yx][xd]"))
    commands = [
        [str(bin_dir / "ruff"), "check", *(["--fix"] if fix else []), "."],
        [str(bin_dir / "ruff"), "format", *([] if fix else ["--check"]), "."],
        [str(bin_dir / "cython-lint"), *cython],
    ]
    failed = 0
    for command in commands:
        print("$", " ".join(command[:3]), flush=True)
        failed |= subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
