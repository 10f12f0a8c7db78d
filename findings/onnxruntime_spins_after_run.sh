#!/bin/sh
# ONNX Runtime 1.32.0: a session's threads keep a processor busy for 40 ms after `run` has returned.
#
# Each thread beyond the first waits for more work without sleeping. Whoever measures another library in turns with
# ONNX Runtime, with pauses of a few milliseconds, gives that library one processor less: on two, a matrix product took
# twice its time. CPU time in a second of sleep after a run of a session with two threads:
#
#     by default 35 to 41 ms, with session.intra_op.spin_duration_us=1000 at most 2 ms
#
# Limit the time by that option, or pause longer than it between the turns. `session.force_spinning_stop` ends it at
# once, but then each run has to wake the threads, which doubles the time of a small network.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet onnxruntime==1.32.0 onnx==1.22.0 numpy==2.4.6
"$folder/bin/python" - <<'END'
import time

import numpy
import onnx.parser
import onnxruntime

model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 21]>\n'
    "product (float[512, 512] a, float[512, 512] b) => (float[512, 512] c) { c = MatMul(a, b) }")
inputs = {name: numpy.ones((512, 512), "float32") for name in "ab"}


def cpu_time_after_run(**entries):
    """Return the seconds of CPU time that the process spends in a second after the last run."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    for key, value in entries.items():
        options.add_session_config_entry(f"session.intra_op.{key}", value)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    for _ in range(20):
        session.run(None, inputs)
    begin = time.process_time()
    time.sleep(1)
    return time.process_time() - begin


default = min(cpu_time_after_run() for _ in range(3))
limited = min(cpu_time_after_run(spin_duration_us="1000") for _ in range(3))
print(f"by default {1e3 * default:.0f} ms, limited {1e3 * limited:.0f} ms")
assert default > 0.02 > limited, "the behavior changed"
END
