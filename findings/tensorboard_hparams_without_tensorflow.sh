#!/bin/sh
# tensorboard 2.21.0 works without TensorFlow, but one of its two makers of hyperparameter records
# does not: `tensorboard.plugins.hparams.summary` imports tensorflow, which is no dependency.
#
# `hparams_pb` of `tensorboard.plugins.hparams.summary_v2` makes the same record without it, as do
# `scalar_pb`, `histogram_pb` and `text_pb` of their `summary_v2` modules. Only the functions of
# these modules whose names lack `_pb` write with TensorFlow. A file of such records is read back:
#
#     summary      No module named 'tensorflow'
#     summary_v2   {'rate': 0.5}
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet numpy==2.4.6 tensorboard==2.21.0
"$folder/bin/python" - "$folder/run" <<'END'
import importlib
import sys
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.plugins.hparams import metadata, summary_v2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

try:
    importlib.import_module("tensorboard.plugins.hparams.summary")
    raise SystemExit("the behavior changed: it can be imported")
except ModuleNotFoundError as error:
    print("summary     ", error)
    assert error.name == "tensorflow", "the behavior changed"

writer = EventFileWriter(sys.argv[1])
writer.add_event(Event(summary=summary_v2.hparams_pb({"rate": 0.5}), wall_time=time.time()))
writer.close()
events = EventAccumulator(sys.argv[1]).Reload()
content = events.SummaryMetadata(metadata.SESSION_START_INFO_TAG).plugin_data.content
found = metadata.parse_session_start_info_plugin_data(content).hparams
print("summary_v2  ", {name: value.number_value for name, value in found.items()})
assert found["rate"].number_value == 0.5, "the behavior changed"
assert "tensorflow" not in sys.modules, "the behavior changed"
END
