"""Export public networks with random weights to ONNX, and compare what other programs compute.

    python scripts/onnx_networks SOURCE [--checkout FOLDER] [--quick] [PART OF A NAME ...]

SOURCE is gluoncv, gluonnlp, insightface, simpledet or zoo; the packages gluoncv and gluonnlp are
installed with ``pip install --no-deps gluoncv==0.10.5.post0 gluonnlp==0.10.0``, the other two are
read from a checkout. Needs onnx, onnxruntime and openvino. Each network is exported with as many
open sizes as it supports, checked, run in ONNX Runtime and in OpenVINO, with other sizes too, and
imported again. The table has the largest difference of each relative to the largest element of an
output; the status is 1 if one exceeds its limit or a network is not exported.
"""

import argparse
import contextlib
import importlib
import io
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import opforge.mxnet

SOURCES = ("gluoncv", "gluonnlp", "insightface", "simpledet", "zoo")


def main():
    """Print a row for each network; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", choices=SOURCES)
    parser.add_argument("parts", nargs="*", help="only networks with one of these in their name")
    parser.add_argument("--checkout", type=Path, help="folder of insightface or simpledet")
    parser.add_argument("--traceback", action="store_true", help="print tracebacks of errors")
    given = parser.parse_args()
    opforge.mxnet.install()
    opforge.mxnet.restore_numpy_aliases()
    warnings.simplefilter("ignore")
    # After `install`: these modules import mxnet.
    networks = importlib.import_module(f"{given.source}_networks").networks(given.checkout)
    names = [n for n in networks if not given.parts or any(part in n for part in given.parts)]
    failures = [name for name in names if not print_row(name, networks[name], given.traceback)]
    print(f"{len(names) - len(failures)} of {len(names)} networks pass")
    return int(bool(failures))


def print_row(name, build, with_traceback):
    """Check a network and print its row; return whether it passes."""
    from checking import LIMITS, check

    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):  # some builders print
                network = build()
            row = check(network, str(Path(folder, "net.onnx")))
    except Exception as error:
        if with_traceback:
            traceback.print_exc()
        print(f"{name:40} {type(error).__name__}: {' '.join(str(error).split())}", flush=True)
        return False
    passes = not any(getattr(row, part) > limit for part, limit in LIMITS.items())
    seconds = time.perf_counter() - start
    print(
        f"{name:40} {row.onnxruntime:9.1e} {row.openvino:9.1e} {row.reimport:9.1e} "
        f"{seconds:5.0f} s  {row.sizes}{'' if passes else '  DIFFERS'}",
        flush=True,
    )
    return passes


if __name__ == "__main__":
    sys.exit(main())
