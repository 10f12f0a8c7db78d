"""Time of ``import opforge`` beyond ``import numpy``, with and without a hundred plugins."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["PROGRAMS", "install_pretended_plugins", "measure"]

#: Programs that fresh interpreters run, by their name in tables.
PROGRAMS = {
    "numpy": "import numpy",
    "opforge": "import numpy, opforge",
    "opforge, first array": "import numpy, opforge; opforge.nd.ones((2,))",
}
_PLUGINS = 100


def install_pretended_plugins(folder: Path, count: int) -> None:
    """Write metadata of fake plugins, and modules that must not be imported, to a folder.

    Parameters
    ----------
    folder : Path
        Folder to put on ``PYTHONPATH``.
    count : int
        Number of plugins, named ``pretended-<number>``; each provides one operator and one layer.
    """
    for number in range(count):
        module = f"opforge_pretended_{number}"
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: opforge-pretended-{number}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(
            f"[opforge]\npretended_{number} = {module}\n"
            f"[opforge.ops]\npretended_{number} = {module}:PretendedProp\n"
            f"[opforge.layers]\nPretended{number} = {module}:Pretended\n"
        )
        (folder / f"{module}.py").write_text("raise RuntimeError('this plugin was imported')\n")


def measure(repeats: int = 20) -> list[dict[str, Any]]:
    """Time each program in fresh interpreters, in alternation, `repeats` times.

    Returns
    -------
    list of dict
        ``"name"``, ``"plugins"`` (number of fake ones), ``"seconds"`` (median)
        and ``"beyond_numpy"``.
    """
    samples: dict[tuple[int, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as plugins:
        install_pretended_plugins(Path(plugins), _PLUGINS)
        for iteration in range(repeats + 1):
            for count, folders in ((0, []), (_PLUGINS, [plugins])):
                for name, program in PROGRAMS.items():
                    seconds = _seconds(program, folders)
                    if iteration:  # the first iteration may compile modules
                        samples.setdefault((count, name), []).append(seconds)
    medians = {key: statistics.median(seen) for key, seen in samples.items()}
    return [
        {
            "name": name,
            "plugins": count,
            "seconds": seconds,
            "beyond_numpy": seconds - medians[count, "numpy"],
        }
        for (count, name), seconds in medians.items()
    ]


def _seconds(program: str, folders: Sequence[str]) -> float:
    path = os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return time.perf_counter() - began
