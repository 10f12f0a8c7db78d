"""GluonCV's detectors, segmentations and poses, unchanged, on opforge: targets, losses and a step.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same parameters.
GluonCV is found, not imported: ``pip install --no-deps gluoncv==0.10.5.post0`` beside opforge.
"""

import importlib.util

import pytest

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
    "masks": 1e-3,
    "segmentation": 1e-5,
    "segmentation by a pyramid": 1e-5,
    "segmentation by dilation": 1e-5,
    "joints": 1e-8,
}


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluoncv==0.10.5.post0")
@pytest.mark.parametrize("task", TASKS)
def test_tasks_are_done_as_in_mxnet(each_way, task):
    request = {"root": FOUND.submodule_search_locations[0], "task": task}

    def part(key):
        return TASKS[task] if key.startswith("gradient") else 1e-4

    # GluonCV was written for a NumPy that had np.float.
    each_way("gluoncv_tasks", request, part, "--numpy-aliases")
