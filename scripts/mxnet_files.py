"""Compare what opforge and MXNet 1.9.1 read from files: arrays, records, and lists of images.

    python scripts/mxnet_files.py FOLDER --oracle PYTHON

Reads each ``.params``, ``.nd``, ``.rec`` and ``.lst`` of FOLDER in both. The status is 1 if
opforge reads another content than MXNet, or fails where MXNet does not.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()


def main() -> int:
    """Print a row for each file; return 1 if one differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--oracle", metavar="PYTHON", help="a Python that has MXNet 1.9.1")
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.iterdir() if path.suffix in READERS)
    if options.read:
        print("\n" + json.dumps({path.name: content(path) for path in paths}))
        return 0
    if not options.oracle:
        parser.error("--oracle is needed")
    mine, other = (
        read_all([*python, str(HERE), str(options.folder), "--read"])
        for python in ([sys.executable, "-m", "opforge.mxnet"], [options.oracle])
    )
    failed = 0
    for name, found in mine.items():
        equal = found == other[name]
        failed += not equal and "error" not in other[name]
        print(f"{name[:80]:80} {found} {'equal' if equal else f'DIFFERS: {other[name]}'}")
    print(f"{len(mine) - failed} of {len(mine)} files agree")
    return int(failed > 0)


def read_all(command: list[str]) -> dict:
    """Return the contents by file that a process prints in its last line."""
    settings = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def content(path: Path) -> dict:
    """Return a count and a digest of a file's content, or the kind of the error."""
    try:
        items = list(READERS[path.suffix](str(path)))
    except Exception as error:  # whatever the libraries raise is compared
        return {"error": type(error).__name__}
    digest = hashlib.blake2b(digest_size=8)
    for item in items:
        digest.update(item)
    return {"items": len(items), "digest": digest.hexdigest()}


def arrays(path: str):
    """Return names, types, shapes and bytes of arrays."""
    import mxnet as mx

    loaded = mx.nd.load(path)
    named = loaded.items() if isinstance(loaded, dict) else enumerate(loaded)
    for name, array in sorted(named):
        value = array.asnumpy()
        yield f"{name} {value.dtype} {value.shape}".encode() + value.tobytes()


def records(path: str):
    """Return the headers and pixels of the images of a record file."""
    import mxnet as mx

    file = mx.recordio.MXRecordIO(path, "r")
    while (record := file.read()) is not None:
        header, image = mx.recordio.unpack_img(record)
        yield f"{header.id} {header.flag}".encode() + np.asarray(header.label, "f").tobytes()
        yield image.tobytes()


def listed(path: str):
    """Return the labels and paths of a list of images."""
    import mxnet as mx

    batches = mx.image.ImageIter(1, (3, 8, 8), path_imglist=path)
    for key, (label, name) in sorted(batches.imglist.items()):
        label = label.asnumpy() if isinstance(label, mx.nd.NDArray) else np.asarray(label, "f")
        yield f"{key} {name}".encode() + label.tobytes()


READERS = {".params": arrays, ".nd": arrays, ".rec": records, ".lst": listed}

if __name__ == "__main__":
    sys.exit(main())
