"""Cost of ``import opforge`` beyond ``import numpy``, alone and among a hundred plugins."""

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

#: What a fresh interpreter runs, by the name that tables give it.
PROGRAMS = {
    "numpy": "import numpy",
    "opforge": "import numpy, opforge",
    "opforge, first array": "import numpy, opforge; opforge.nd.ones((2,))",
}
_PLUGINS = 100


def install_pretended_plugins(folder: Path, count: int) -> None:
    """Write the metadata of plugins into a folder, and modules that must not be imported.

    Parameters
    ----------
    folder : Path
        To be put on ``PYTHONPATH``.
    count : int
        Each is named ``pretended-<number>``, and provides one operator and one layer.
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
    """Time fresh interpreters, one program after the other, `repeats` times.

    Returns
    -------
    list of dict
        ``"name"``, ``"plugins"`` (pretended ones beside what is installed), ``"seconds"`` (median)
        and ``"beyond_numpy"``.
    """
    samples: dict[tuple[int, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as plugins:
        install_pretended_plugins(Path(plugins), _PLUGINS)
        for turn in range(repeats + 1):
            for count, folders in ((0, []), (_PLUGINS, [plugins])):
                for name, program in PROGRAMS.items():
                    seconds = _seconds(program, folders)
                    if turn:  # the first one may have compiled modules
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
