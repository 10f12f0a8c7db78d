"""Reader of files for TensorBoard, with tensorboard's own code."""

import pytest


@pytest.fixture
def read_events(tmp_path):
    """Return a function that reads the run in a folder of `tmp_path`."""
    pytest.importorskip("tensorboard", reason="an optional package")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def read_run(run="."):
        everything = dict.fromkeys(("tensors", "images"), 0)
        return EventAccumulator(str(tmp_path / run), size_guidance=everything).Reload()

    return read_run
