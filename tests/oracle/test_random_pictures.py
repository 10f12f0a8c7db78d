"""Random augmentations have MXNet's distributions: area, ratio, position, angle, colors, boxes.

Both libraries draw many times from one image, whose red and green encode the position of a pixel;
each column of the results is compared by the largest distance of the two distributions. Seeds are
fixed, so every run gives the same results.
"""

import numpy as np
import pytest

import opforge as mx

from .programs.random_pictures import draws

PICTURES, OBJECTS = "ImageRecordIter", "ImageDetRecordIter"
SIZE, COUNT = 64, 200
SHAPE = {"data_shape": (3, 24, 24)}
PART = {**SHAPE, "random_resized_crop": True}
CROP = {**SHAPE, "rand_crop_prob": 1}
BOX = [2, 5, 3, 0.2, 0.3, 0.6, 0.9, 4, 0.5, 0.1, 0.8, 0.4]

SETTINGS = [
    (PICTURES, {**SHAPE, "rand_crop": True}),
    (PICTURES, {**SHAPE, "rand_mirror": True}),
    (PICTURES, {**PART, "min_random_area": 0.1, "max_random_area": 1.0}),
    (PICTURES, {**PART, "min_aspect_ratio": 0.5, "max_aspect_ratio": 2.0}),
    (
        PICTURES,
        {
            **PART,
            "min_random_area": 0.08,
            "max_random_area": 1.0,
            "min_aspect_ratio": 0.75,
            "max_aspect_ratio": 4 / 3,
        },
    ),
    (PICTURES, {**SHAPE, "rand_crop": True, "min_crop_size": 25, "max_crop_size": 60}),
    (PICTURES, {**SHAPE, "max_rotate_angle": 40}),
    (PICTURES, {**SHAPE, "max_shear_ratio": 0.3}),
    (PICTURES, {**SHAPE, "min_random_scale": 0.6, "max_random_scale": 1.5}),
    (PICTURES, {**SHAPE, "max_aspect_ratio": 0.25}),
    (PICTURES, {**SHAPE, "random_h": 30}),
    (PICTURES, {**SHAPE, "random_s": 60}),
    (PICTURES, {**SHAPE, "random_l": 60}),
    (PICTURES, {**SHAPE, "pca_noise": 0.5}),
    (PICTURES, {**SHAPE, "brightness": 0.4}),
    (PICTURES, {**SHAPE, "contrast": 0.4}),
    (PICTURES, {**SHAPE, "saturation": 0.4}),
    (PICTURES, {**SHAPE, "brightness": 0.3, "contrast": 0.3, "saturation": 0.3}),
    (PICTURES, {**SHAPE, "max_random_contrast": 0.5, "mean_r": 1}),
    (PICTURES, {**SHAPE, "max_random_illumination": 20, "mean_r": 1}),
    (OBJECTS, {**SHAPE, "rand_mirror_prob": 0.3}),
    (OBJECTS, {**SHAPE, "rand_pad_prob": 0.7, "max_pad_scale": 3}),
    (OBJECTS, {**CROP, "min_crop_scales": 0.3, "max_crop_scales": 0.9}),
    (OBJECTS, {**CROP, "min_crop_aspect_ratios": 0.5, "max_crop_aspect_ratios": 2}),
    (OBJECTS, {**CROP, "min_crop_scales": 0.3, "min_crop_overlaps": 0.2}),
    (OBJECTS, {**CROP, "min_crop_scales": 0.3, "max_crop_sample_coverages": 0.3}),
    (OBJECTS, {**CROP, "min_crop_scales": 0.3, "min_crop_object_coverages": 0.8}),
    (OBJECTS, {**CROP, "min_crop_scales": 0.4, "crop_emit_mode": "overlap"}),
    (
        OBJECTS,
        {
            **CROP,
            "num_crop_sampler": 2,
            "min_crop_scales": (0.3, 0.7),
            "max_crop_scales": (0.5, 0.9),
            "min_crop_overlaps": (0.1, 0.3),
            "max_crop_trials": (5, 30),
        },
    ),
    (OBJECTS, {**SHAPE, "max_random_hue": 30, "random_hue_prob": 0.6}),
    (OBJECTS, {**SHAPE, "max_random_saturation": 60, "random_saturation_prob": 0.6}),
    (OBJECTS, {**SHAPE, "max_random_illumination": 60, "random_illumination_prob": 0.6}),
    (OBJECTS, {**SHAPE, "max_random_contrast": 0.5, "random_contrast_prob": 0.6}),
]


def write(path, label):
    """Write many copies of an image whose red and green are the column and the row."""
    rows, columns = np.mgrid[:SIZE, :SIZE] * (200 // SIZE) + 20
    picture = np.stack([np.full_like(rows, 120), rows, columns], axis=-1).astype(np.uint8)
    record = mx.recordio.MXRecordIO(path, "w")
    for i in range(COUNT):
        record.write(mx.recordio.pack_img((0, label, i, 0), picture, quality=1, img_fmt=".png"))
    record.close()


def distance(a, b):
    """Return the largest distance of two distributions; values closer than a byte are equal."""
    a, b = np.sort(np.round(a, 2)), np.sort(np.round(b, 2))
    grid = np.concatenate([a, b])
    shares = [np.searchsorted(each, grid, side="right") / len(each) for each in (a, b)]
    return np.abs(shares[0] - shares[1]).max()


@pytest.mark.keeps_memory  # decoded-ahead data is freed when its thread finds no reader
@pytest.mark.parametrize(("name", "epochs"), [(PICTURES, 10), (OBJECTS, 5)])
def test_distributions_are_equal(oracle, tmp_path, name, epochs):
    settings = [each for each in SETTINGS if each[0] == name]
    write(tmp_path / "pictures.rec", 1.0 if name == PICTURES else BOX)
    oracle("random_pictures", {"settings": settings, "epochs": epochs})
    # For two samples of this size from one distribution, one in 15,000 is as far apart.
    limit = 2.28 / np.sqrt(COUNT * epochs / 2)
    wrong = []
    for number, (_, chosen) in enumerate(settings):
        wanted = np.load(tmp_path / f"{number}.npy")
        got = draws(mx, tmp_path / "pictures.rec", name, chosen, epochs)
        assert got.shape == wanted.shape == (COUNT * epochs, wanted.shape[1])
        assert got.std(axis=0).max() > 0, chosen
        worst = [round(float(distance(*pair)), 3) for pair in zip(got.T, wanted.T, strict=True)]
        if max(worst) > limit:
            wrong.append((chosen, worst))
    assert not wrong, "\n".join(map(str, wrong))
