"""GluonCV's COCO data sets and metrics, unchanged, on opforge: same numbers as MXNet's.

In addition to GluonCV they need pycocotools, here and in MXNet's environment.
"""

import importlib.util
import json

import numpy as np
import pytest

FOUND = importlib.util.find_spec("gluoncv")
COCO = importlib.util.find_spec("pycocotools")

HEIGHT, WIDTH, PICTURES = 120, 160, 5
#: Name of a class -> its number in the file, which skips some, as COCO does.
CLASSES = {"person": 1, "bicycle": 2, "car": 4, "kite": 9}


def made_folder(folder):
    """Write images with objects of all classes."""
    cv2 = pytest.importorskip("cv2")
    numbers = np.random.default_rng(2)
    entries, annotations = [], []
    (folder / "made").mkdir(parents=True)
    (folder / "annotations").mkdir()
    for number in range(1, PICTURES + 1):
        pixels = numbers.integers(0, 255, (HEIGHT, WIDTH, 3), "uint8")
        assert cv2.imwrite(str(folder / "made" / f"{number}.png"), pixels)
        url = f"http://images/made/{number}.png"
        entries.append({"id": number, "coco_url": url, "height": HEIGHT, "width": WIDTH})
        for kind in [*CLASSES.values(), *numbers.choice(list(CLASSES.values()), 2)]:
            annotations.append(
                {"id": len(annotations) + 1, **annotation(numbers, number, int(kind))}
            )
    return {"images": entries, "annotations": annotations}


def annotation(numbers, picture, kind):
    """Return COCO's entry for an object: an octagon in a box, with joints."""
    left, top = numbers.uniform(0, 60, 2)
    width, height = numbers.uniform(20, 59, 2)
    turns = np.arange(8) * np.pi / 4
    x, y = left + width * (1 + np.cos(turns)) / 2, top + height * (1 + np.sin(turns)) / 2
    joints = numbers.uniform([left, top], [left + width, top + height], (17, 2))
    seen = numbers.integers(0, 3, (17, 1))
    return {
        "image_id": picture,
        "category_id": kind,
        "iscrowd": 0,
        "area": 0.7 * width * height,
        "bbox": [left, top, width, height],
        "segmentation": [np.stack([x, y], 1).ravel().tolist()],
        "keypoints": np.concatenate([joints * (seen > 0), seen], 1).ravel().tolist(),
        "num_keypoints": int((seen > 0).sum()),
    }


def write_annotations(folder):
    """Write the files of boxes and shapes, and of persons only, in COCO's format."""
    made = made_folder(folder)
    named = [{"id": number, "name": name} for name, number in CLASSES.items()]
    persons = [one for one in made["annotations"] if one["category_id"] == 1]
    for name, part in {
        "instances_made": {**made, "categories": named},
        "person_keypoints_made": {**made, "annotations": persons, "categories": named[:1]},
    }.items():
        (folder / "annotations" / f"{name}.json").write_text(json.dumps(part))


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps gluoncv==0.10.5.post0")
@pytest.mark.skipif(COCO is None, reason="pip install pycocotools")
def test_data_sets_and_metrics_are_those_of_mxnet(oracle, by_name, tmp_path):
    write_annotations(tmp_path / "coco")
    request = {"root": FOUND.submodule_search_locations[0], "classes": list(CLASSES)}
    wanted = oracle("gluoncv_coco", request)
    found = by_name("gluoncv_coco", request, "--numpy-aliases")
    assert found == wanted
