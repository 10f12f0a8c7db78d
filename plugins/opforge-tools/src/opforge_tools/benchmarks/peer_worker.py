"""Process in which a library, often one with MXNet's API, runs the cases of a plugin's file.

Run as ``PYTHON peer_worker.py FILE LIBRARY FOLDER`` with a Python that may have MXNet but not
opforge; so it imports only two files of its folder, which have no dependencies.
"""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from sampling import Batches  # type: ignore[import-not-found]
from serving import Desk, serve_parent  # type: ignore[import-not-found]

# Other files of this folder may shadow modules of libraries.
sys.path[:] = [folder for folder in sys.path if folder != sys.path[0]]

__all__ = ["FileDesk"]


class FileDesk(Desk):
    """Server for a library and the current case of a file.

    Parameters
    ----------
    path : str
        File with `CASES`.
    library : str
        Name of the module.
    folder : str
        Folder with the files prepared for the cases.
    """

    def __init__(self, path: str, library: str, folder: str) -> None:
        self._path, self._name, self._folder = path, library, folder
        self._library: Any = None
        self._cases: Any = None

    def _load(self) -> None:
        if self._library is None:
            self._library = importlib.import_module(self._name)
            self._cases = _load_object(self._path)

    def _prepare(self, name: str) -> dict[str, Any]:
        self.batches = None  # free the arrays of the previous case first
        self._load()
        run = self._cases.CASES[name]["prepare"](self._library, Path(self._folder))
        arrays = getattr(self._library, "nd", None)
        self.batches = Batches(run, arrays.waitall if arrays else _no_wait)
        return {}

    def _share(self, name: str) -> dict[str, Any]:
        self._load()
        found = self._cases.SHARES[name]["measure"](self._library, Path(self._folder))
        return {"share": float(found)}


def _no_wait() -> None:
    """Return at once: the library's calls return complete results."""


def _load_object(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("cases", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    serve_parent(FileDesk(*sys.argv[1:]))
