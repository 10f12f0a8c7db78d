"""GluonCV's transforms and metrics, unchanged, on opforge, from the same images and streams."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FOUND = importlib.util.find_spec("gluoncv")

#: One of 255 levels of an image after division by ImageNet's deviations.
LEVEL = 1 / 255 / 0.224

#: Prefix of an array's name -> tolerance: OpenCV 5's cubic interpolation is more exact than that of
#: MXNet's OpenCV, and it rotates images differently at edges.
TOLERANCES = {
    "pose": 5 * LEVEL,
    "ssd test 1": 1,
    "yolo test 1": 1,
    "rcnn test 1": 1,
    "ssd": 1.01 * LEVEL,
    "yolo": 1.01 * LEVEL,
    "rcnn": 1.01 * LEVEL,
    "": 1e-6,
}


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluoncv==0.10.5.post0")
def test_transforms_and_metrics_are_those_of_mxnet(oracle, by_name, tmp_path):
    request = {"root": FOUND.submodule_search_locations[0]}
    names = oracle("gluoncv_data", {**request, "way": "mxnet"})
    by_name("gluoncv_data", {**request, "way": "opforge"})
    wanted, found = (dict(np.load(tmp_path / f"{way}.npz")) for way in ("mxnet", "opforge"))
    # MXNet's environment may lack OpenCV, which rotates poses.
    assert names == [name for name in found if name in wanted]
    assert all(name.startswith("pose") for name in set(found) - set(wanted))
    for name, array in wanted.items():
        atol = next(atol for start, atol in TOLERANCES.items() if name.startswith(start))
        assert found[name].dtype == array.dtype, name
        np.testing.assert_allclose(found[name], array, 1e-6, atol, err_msg=name)


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluoncv==0.10.5.post0")
def test_the_example_of_detection_measures_as_gluoncv_does(by_name):
    request = {"root": FOUND.submodule_search_locations[0], "examples": str(EXAMPLES)}
    own, wanted = by_name("gluoncv_example", request)
    assert own == pytest.approx(wanted, abs=1e-9)
    assert 0.2 < own < 0.95
