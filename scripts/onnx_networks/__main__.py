"""Export public networks with random weights to ONNX, and compare what other programs compute.

    python scripts/onnx_networks SOURCE [--checkout FOLDER] [--browser] [PART OF A NAME ...]

SOURCE is gluoncv, gluonnlp, insightface, simpledet or zoo, which is opforge's own. Install the
first two with ``pip install --no-deps gluoncv==0.10.5.post0 gluonnlp==0.10.0``; insightface and
simpledet are read from a checkout and need easydict and mxnext, from
https://github.com/RogerChern/mxnext. Needs onnx, onnxruntime, openvino and scipy. Each network is
exported with as many open sizes as it supports, checked, run in ONNX Runtime and in OpenVINO, with
other sizes too, and imported again. The table has the largest difference of each relative to the
largest element of an output; the status is 1 if one exceeds its limit or a network is not exported.
Where one exceeds it, the row also has the difference of float32 from float64 in opforge: a deep
network with random weights enlarges rounding, and passes with differences of that size.

With ``--browser``, each file also runs in onnxruntime-web (WebAssembly, one thread), which npm
downloads into a temporary folder, in a headless Chromium that is in PATH (Debian's package
chromium-headless-shell, for example).
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

from browser import open_browser

import opforge.mxnet

SOURCES = ("gluoncv", "gluonnlp", "insightface", "simpledet", "zoo")


def main():
    """Print a row for each network; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", choices=SOURCES)
    parser.add_argument("parts", nargs="*", help="only networks with one of these in their name")
    parser.add_argument("--checkout", type=Path, help="folder of insightface or simpledet")
    parser.add_argument("--traceback", action="store_true", help="print tracebacks of errors")
    parser.add_argument("--browser", action="store_true", help="run in headless Chromium, too")
    given = parser.parse_intermixed_args()
    opforge.mxnet.install()
    opforge.mxnet.restore_numpy_aliases()
    warnings.simplefilter("ignore")
    # After `install`: these modules import mxnet.
    networks = importlib.import_module(f"{given.source}_networks").networks(given.checkout)
    names = [n for n in networks if not given.parts or any(part in n for part in given.parts)]
    with open_browser() if given.browser else contextlib.nullcontext() as run_in_browser:
        failures = [
            name
            for name in names
            if not print_row(name, networks[name], given.traceback, run_in_browser)
        ]
    print(f"{len(names) - len(failures)} of {len(names)} networks pass")
    return int(bool(failures))


def print_row(name, build, with_traceback, run_in_browser):
    """Check a network and print its row; return whether it passes."""
    from checking import check

    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):  # some builders print
                network = build()
            row = check(network, str(Path(folder, "net.onnx")), run_in_browser)
    except Exception as error:
        if with_traceback:
            traceback.print_exc()
        print(f"{name:40} {type(error).__name__}: {' '.join(str(error).split())}", flush=True)
        return False
    seconds = time.perf_counter() - start
    print(
        f"{name:40} {row.onnxruntime:9.1e} {row.openvino:9.1e} {row.reimport:9.1e} "
        f"{seconds:5.0f} s  {row.sizes}"
        f"{f'  browser {row.browser:.1e}' if run_in_browser else ''}"
        f"{'' if row.passes() else '  DIFFERS'}"
        f"{'' if row.rounding is None else f'  rounding {row.rounding:.1e}'}",
        flush=True,
    )
    return row.passes()


if __name__ == "__main__":
    sys.exit(main())
