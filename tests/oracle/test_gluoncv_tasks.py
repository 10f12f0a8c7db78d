"""GluonCV's detectors, segmentations and poses, unchanged, on opforge: targets, losses and a step.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same parameters.
GluonCV is found, not imported; install it with ``pip install --no-deps gluoncv==0.10.5.post0``.
"""

import importlib.util

import pytest

FOUND = importlib.util.find_spec("gluoncv")

#: Task of programs/gluoncv_tasks.py -> tolerance of gradients relative to the largest element:
#: float32 rectifiers may propagate a gradient in only one of the two.
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
