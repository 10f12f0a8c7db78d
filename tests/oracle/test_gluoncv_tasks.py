"""GluonCV's detectors, segmentations and poses, unchanged, on opforge: targets, losses and a step.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same parameters.
GluonCV is found, not imported: ``pip install --no-deps gluoncv==0.10.5.post0`` beside opforge.
"""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from .conftest import WORKER

FOUND = importlib.util.find_spec("gluoncv")

#: Task of programs/gluoncv_tasks.py -> how far gradients may be from MXNet's, in parts of the
#: largest element: rectifiers in float32 may pass one on in one of both only.
TASKS = {
    "ssd": 1e-5,
    "ssd of vgg": 1e-5,
    "yolo": 1e-4,
    "regions": 1e-2,
    "regions of a pyramid": 1e-4,
    "masks of a pyramid": 1e-4,
    "segmentation": 1e-5,
    "segmentation by a pyramid": 1e-5,
    "segmentation by dilation": 1e-5,
    "joints": 1e-8,
}


def run_in_opforge(folder):
    # GluonCV was written for a NumPy that had np.float.
    command = [sys.executable, "-m", "opforge.mxnet", "--numpy-aliases"]
    command += [str(WORKER), "gluoncv_tasks", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluoncv==0.10.5.post0")
@pytest.mark.parametrize("task", TASKS)
def test_tasks_are_done_as_in_mxnet(oracle, tmp_path, task):
    request = {"root": FOUND.submodule_search_locations[0], "task": task}
    names = oracle("gluoncv_tasks", {**request, "ways": ["mxnet"]})
    ways = ["eager", "hybridized"]
    (tmp_path / "request.json").write_text(json.dumps({**request, "ways": ways}))
    run_in_opforge(tmp_path)
    assert json.loads((tmp_path / "answer.json").read_text()) == names
    wanted = dict(np.load(tmp_path / "mxnet.npz"))
    for way in ways:
        found = dict(np.load(tmp_path / f"{way}.npz"))
        assert list(found) == list(wanted)
        for key, array in found.items():
            part = TASKS[task] if key.startswith("gradient") else 1e-4
            atol = part * max(np.abs(wanted[key]).max(), 1e-6)
            np.testing.assert_allclose(array, wanted[key], 0, atol, err_msg=f"{way}: {key}")
