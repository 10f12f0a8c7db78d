"""Record files are exchanged between opforge and MXNet; decoded images are equal."""

import cv2
import numpy as np

import opforge as mx

from .programs.record_files import read, read_objects

SHAPE = {"data_shape": (3, 90, 110)}
MAGIC = bytes.fromhex("0a23d7ce")
RECORDS = [b"", b"a", MAGIC, b"abcd" + MAGIC + b"e", MAGIC * 3, b"x" + MAGIC]

#: Settings, and the largest difference of OpenCV 5, with which opforge decodes, from MXNet's 3.4,
#: which interpolates less exactly.
SETTINGS = [
    ({"data_shape": (3, 120, 160)}, 0),
    ({"data_shape": (1, 120, 160)}, 0),
    (SHAPE, 0),
    ({"data_shape": (3, 200, 190)}, 0),
    ({**SHAPE, "resize": 100}, 0),
    ({**SHAPE, "resize": 150, "inter_method": 2}, 1),
    ({**SHAPE, "resize": 111, "inter_method": 9}, 0),
    ({**SHAPE, "resize": 150, "inter_method": 0}, 0),
    ({**SHAPE, "resize": 150, "inter_method": 4}, 1),
    ({**SHAPE, "pad": 9}, 0),
    ({**SHAPE, "rotate": 30}, 16),
    ({**SHAPE, "min_random_scale": 0.9, "max_random_scale": 0.9}, 16),
    ({**SHAPE, "min_img_size": 300}, 0),
    ({**SHAPE, "min_crop_size": 80, "max_crop_size": 80}, 0),
    ({**SHAPE, "random_resized_crop": True}, 0),
    ({**SHAPE, "random_resized_crop": True, "min_random_area": 2, "max_random_area": 2}, 0),
    ({**SHAPE, "mirror": True}, 0),
    ({**SHAPE, "mean_r": 123.7, "mean_g": 116.3, "std_g": 57.1, "scale": 0.5}, 1e-4),
    ({**SHAPE, "dtype": "int8", "mean_r": 123.7, "mean_b": 103.4}, 0),
    ({**SHAPE, "dtype": "uint8", "mean_r": 3}, 0),
]


#: Likewise for images with objects; if the ratio is kept, MXNet leaves the rest unwritten.
DETECTION = [
    ({"data_shape": (3, 120, 160)}, 0),
    (SHAPE, 0),
    ({**SHAPE, "inter_method": 9, "resize": 70}, 1),
    ({**SHAPE, "label_pad_width": 40, "label_pad_value": 5}, 0),
    ({**SHAPE, "resize_mode": "fit"}, 0),
    ({**SHAPE, "resize_mode": "shrink"}, 0),
    ({**SHAPE, "rand_mirror_prob": 1}, 0),
    ({**SHAPE, "mean_r": 123.7, "std_r": 57.1, "std_g": 0, "scale": 0.5}, 1e-4),
    ({"data_shape": (1, 60, 70)}, 0),
]


def write(path, labels=float):
    """Write four noisy images as JPEGs."""
    drawn = np.random.RandomState(0)
    record = mx.recordio.MXRecordIO(path, "w")
    for i in range(4):
        noise = drawn.uniform(0, 255, (120, 160, 3))
        picture = cv2.GaussianBlur(noise, (0, 0), 2.0)
        picture = np.clip((picture - 128) * 6 + 128, 0, 255).astype(np.uint8)
        record.write(mx.recordio.pack_img((0, labels(i), i, 0), picture))
    record.close()


def objects(number):
    """Return labels of some objects, the last of which has no area."""
    found = [2, 5]
    for k in range(number + 1):
        found += [k, 0.1 * k, 0.2, 0.1 * k + 0.3, 0.6]
    return [*found, 9, 0.5, 0.5, 0.4, 0.6]


def test_pictures_are_equal_and_files_pass_both_ways(oracle, tmp_path):
    write(tmp_path / "given.rec")
    write(tmp_path / "objects.rec", objects)
    request = {
        "settings": [settings for settings, _ in SETTINGS],
        "detection": [settings for settings, _ in DETECTION],
    }
    oracle("record_files", {**request, "records": [record.hex() for record in RECORDS]})
    for number, (settings, tolerance) in enumerate(SETTINGS):
        wanted = np.load(tmp_path / f"{number}.npy")
        got = read(mx, tmp_path / "given.rec", settings)
        assert got.dtype == wanted.dtype
        difference = np.abs(got.astype(float) - wanted)
        assert difference.max() <= tolerance, (settings, difference.max())
        assert difference.mean() <= tolerance / 20, (settings, difference.mean())
    for number, (settings, tolerance) in enumerate(DETECTION):
        wanted = np.load(tmp_path / f"objects{number}.npz")
        data, label = read_objects(mx, tmp_path / "objects.rec", settings)
        assert np.array_equal(label, wanted["label"]), settings
        rows, columns = label[0, 1:3].astype(int)
        difference = np.abs(data - wanted["data"])[:, :, :rows, :columns]
        assert difference.max() <= tolerance, (settings, difference.max())
    paths = tmp_path / "written.idx", tmp_path / "written.rec"
    reader = mx.recordio.MXIndexedRecordIO(*paths, "r")
    assert [reader.read_idx(key) for key in reader.keys] == RECORDS
    writer = mx.recordio.MXRecordIO(tmp_path / "ours.rec", "w")
    for record in RECORDS:
        writer.write(record)
    writer.close()
    assert (tmp_path / "ours.rec").read_bytes() == paths[1].read_bytes()
