"""Compare opforge's ONNX files with PyTorch's own: how long exports take, and how fast they run.

    python scripts/onnx_speed.py PEER [--rounds N] [NETWORK ...]

PEER is a Python interpreter with torch, torchvision, transformers, onnx and onnxruntime, which
opforge itself does not need. NETWORK is resnet50 or bert (both by default), with random weights.
PyTorch exports the network by torch.onnx.export (dynamo); opforge imports this file and exports the
same network again. Both files then run in ONNX Runtime in turn. The table has the seconds of both
exports and the memory that opforge's export takes beyond the network's, relative to the file; then
the milliseconds of both files. Linux only.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import opforge as mx

SHAPES = {"resnet50": ((1, 3, 224, 224), "float32"), "bert": ((1, 128), "int64")}

EXPORT = """
import sys, time, torch
name, file = sys.argv[1:]
torch.manual_seed(0)
if name == "bert":
    from transformers import BertConfig, BertModel
    class Outputs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = BertModel(BertConfig(attn_implementation="eager"))
        def forward(self, words):
            return self.bert(words)[0]
    network, x = Outputs().eval(), torch.randint(0, 30000, (1, 128))
else:
    from torchvision.models import resnet50
    network, x = resnet50().eval(), torch.rand(1, 3, 224, 224)
seconds = []
for _ in range(2):
    start = time.perf_counter()
    torch.onnx.export(network, (x,), file, dynamo=True, external_data=False, verbose=False)
    seconds.append(time.perf_counter() - start)
print(min(seconds))
"""

RUN = """
import json, sys, time
import numpy as np
import onnxruntime
rounds, *files = sys.argv[1:]
sessions = []
for file in files:
    options = onnxruntime.SessionOptions()
    # Threads that spin after a run would slow the other session down.
    options.add_session_config_entry("session.intra_op.spin_duration_us", "1000")
    sessions.append(onnxruntime.InferenceSession(file, options))
given = sessions[0].get_inputs()[0]
random = np.random.default_rng(0)
if "int" in given.type:
    x = random.integers(0, 30000, given.shape)
else:
    x = random.random(given.shape, "float32")
outputs = [session.run(None, {session.get_inputs()[0].name: x})[0] for session in sessions]
times = [[] for _ in sessions]
for _ in range(int(rounds)):
    for session, found in zip(sessions, times):
        name = session.get_inputs()[0].name
        for _ in range(4):
            start = time.perf_counter()
            session.run(None, {name: x})
            found.append(time.perf_counter() - start)
largest = float(np.abs(outputs[0]).max())
print(json.dumps({
    "minima": [1e3 * min(found) for found in times],
    "medians": [1e3 * float(np.median(found)) for found in times],
    "difference": float(np.abs(outputs[0] - outputs[1]).max()) / largest,
}))
"""


def ask(peer: str, program: str, *args: str) -> str:
    """Return the last line that a program prints in another interpreter."""
    done = subprocess.run(
        [peer, "-c", program, *args], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip().rpartition("\n")[2]


def memory_peak() -> int:
    """Return the largest memory of this process in bytes, since the peak was reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (row,) = [line for line in lines if line.startswith("VmHWM")]
    return 1024 * int(row.split()[1])


def export_again(source: Path, target: Path, name: str) -> tuple[float, float]:
    """Import a file and export it; return the seconds of the export and its memory in files."""
    shape, dtype = SHAPES[name]
    block = mx.onnx.import_to_gluon(str(source))
    block(mx.nd.zeros(shape, dtype=dtype)).wait_to_read()
    seconds = []
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now what is in use
    before = memory_peak()
    for _ in range(2):
        start = time.perf_counter()
        mx.onnx.export_model(block, in_shapes=[shape], in_types=[dtype], onnx_file_path=str(target))
        seconds.append(time.perf_counter() - start)
    return min(seconds), (memory_peak() - before) / target.stat().st_size


def print_rows(peer: str, name: str, rounds: int, folder: Path) -> None:
    """Export a network both ways, run both files, and print the rows of the table."""
    source, target = folder / f"{name}-torch.onnx", folder / f"{name}.onnx"
    theirs = float(ask(peer, EXPORT, name, str(source)))
    ours, memory = export_again(source, target, name)
    print(f"{name:10}export   {theirs:8.2f} s  {ours:8.2f} s  {ours / theirs:6.3f}", end="")
    print(f"   memory {memory:.2f} of the file")
    found = json.loads(ask(peer, RUN, str(rounds), str(source), str(target)))
    for kind in ("minima", "medians"):
        torch, own = found[kind]
        print(f"{name:10}{kind:8}{torch:9.2f} ms {own:8.2f} ms {own / torch:6.3f}")
    print(f"{name:10}largest difference of the outputs {found['difference']:.1e}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("peer", help="Python with torch, torchvision, transformers, onnxruntime")
    parser.add_argument("networks", nargs="*", help=f"of {', '.join(SHAPES)}; default: all")
    parser.add_argument("--rounds", type=int, default=12, help="rounds of 4 runs of each file")
    given = parser.parse_args()
    unknown = set(given.networks) - SHAPES.keys()
    if unknown:
        sys.exit(f"unknown networks: {', '.join(sorted(unknown))}; expected {', '.join(SHAPES)}")
    print(f"{'network':10}{'':8}{'PyTorch':>10}{'opforge':>12}   ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.networks or SHAPES:
            print_rows(given.peer, name, given.rounds, Path(folder))


if __name__ == "__main__":
    main()
