"""Tests of `io.ImageDetRecordIter`: labels, augmentation of objects, and errors."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opforge_image import recordio
from opforge_image.record_iter.box_crops import Cropping
from opforge_image.record_iter.boxes import Boxes, Region
from opforge_image.record_iter.detection_geometry import DetectionColors, DetectionGeometry

import opforge as mx
from opforge.base import MXNetError

Make = Callable[..., Any]
ROWS, COLUMNS = 40, 60


def labels_of(number: int) -> list[float]:
    """Return a header of three and `number` + 1 objects of six."""
    objects = [[k, 0.1 * k, 0.2, 0.1 * k + 0.25, 0.75, 50 + k] for k in range(number + 1)]
    return [3, 6, number, *np.ravel(objects)]


def image(number: int) -> np.ndarray:
    rows, columns, channels = np.ogrid[:ROWS, :COLUMNS, :3]
    return ((number * 20 + 3 * rows + columns + 60 * channels) % 256).astype(np.uint8)


def write(path: Path, labels: list[Any]) -> None:
    """Write an image for each of the labels."""
    record = recordio.MXIndexedRecordIO(path.with_suffix(".idx"), path, "w")
    for i, each in enumerate(labels):
        header = (0, each, 100 + i, 0)
        record.write_idx(i, recordio.pack_img(header, image(i), quality=1, img_fmt=".png"))
    record.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of four images with one to four objects."""
    write(tmp_path / "a.rec", [labels_of(i) for i in range(4)])
    return tmp_path / "a.rec"


@pytest.fixture
def make(path: Path) -> Iterator[Make]:
    """Yield a function that creates an iterator over the four images, closed with the test."""
    settings = {"path_imgrec": path, "data_shape": (3, ROWS, COLUMNS), "batch_size": 4}
    with ExitStack() as stack:

        def iterator(**changes: Any) -> Any:
            made = mx.io.ImageDetRecordIter(**{**settings, **changes})
            return stack.enter_context(closing(made))

        yield iterator


def test_label_rows_hold_image_size_and_objects(make: Make) -> None:
    batches = make(label_pad_width=30, label_pad_value=-7)
    batch = batches.next()
    (described,) = batches.provide_label
    assert (described.name, described.shape) == ("softmax_label", (4, 34))
    label = batch.label[0].asnumpy()
    for row, number in zip(label, range(4), strict=True):
        wanted = labels_of(number)
        assert row[:4].tolist() == [3, ROWS, COLUMNS, len(wanted)]
        assert np.array_equal(row[4 : 4 + len(wanted)], np.float32(wanted))
        assert (row[4 + len(wanted) :] == -7).all()
    assert np.array_equal(batch.data[0][2].asnumpy(), image(2)[:, :, ::-1].transpose(2, 0, 1))
    assert batch.index.tolist() == [100, 101, 102, 103]


@pytest.mark.parametrize("asked", [0, -1])
def test_label_pad_width_defaults_to_the_maximum(make: Make, path: Path, asked: int) -> None:
    widest = len(labels_of(3))
    assert make(label_pad_width=asked).provide_label[0].shape == (4, widest + 4)
    indexed = make(label_pad_width=asked, path_imgidx=path.with_suffix(".idx"))
    assert indexed.provide_label[0].shape == (4, widest + 4)


def test_labels_of_a_list(make: Make, tmp_path: Path) -> None:
    lines = [f"{100 + i}\t2\t5\t{i}\t0\t0\t1\t0.5\tno.png\n" for i in range(4)]
    (tmp_path / "a.lst").write_text("".join(lines))
    batches = make(path_imglist=tmp_path / "a.lst")
    label = batches.next().label[0].asnumpy()
    assert label.shape == (4, 11) and label[:, 6].tolist() == [0, 1, 2, 3]


def test_objects_without_area_are_dropped(tmp_path: Path, make: Make) -> None:
    sound, turned, flat = [1, 0, 0, 1, 1], [2, 0.5, 0, 0.4, 1], [3, 0, 0.5, 1, 0.5]
    lost = [4, float("nan"), 0, 1, 1]
    write(tmp_path / "b.rec", [[2, 5, *turned, *sound, *flat, *lost], [2, 5, *turned]])
    batches = make(path_imgrec=tmp_path / "b.rec", batch_size=2)
    first, second = batches.next().label[0].asnumpy()
    assert first[3:11].tolist() == [7, 2, 5, *sound]
    assert second[3:6].tolist() == [2, 2, 5] and (second[6:] == -1).all()


@pytest.mark.parametrize(
    ("mode", "shape", "rows", "columns"),
    [
        ("force", (3, 30, 30), 30, 30),
        ("fit", (3, 90, 90), 60, 90),
        ("fit", (3, 30, 30), 20, 30),
        ("shrink", (3, 90, 90), ROWS, COLUMNS),
        ("shrink", (3, 90, 30), 20, 30),
    ],
)
def test_images_fit_into_the_batch(
    make: Make, mode: str, shape: Any, rows: int, columns: int
) -> None:
    batch = make(data_shape=shape, resize_mode=mode, mean_r=1000).next()
    label, data = batch.label[0].asnumpy(), batch.data[0].asnumpy()
    assert label[0, :3].tolist() == [3, rows, columns]
    inside = data[:, :, :rows, :columns]
    assert inside[:, 0].max() < 0 and inside[:, 1].max() > 0
    assert np.count_nonzero(data) == np.count_nonzero(inside)


def test_values_are_normalized(make: Make) -> None:
    plain = make().next().data[0].asnumpy()
    got = make(mean_r=10, std_r=4, std_g=0, scale=0.5).next().data[0].asnumpy()
    wanted = plain / 2
    wanted[:, 0] = (plain[:, 0] - 10) / 4 / 2
    assert np.allclose(got, wanted, atol=1e-5)


def test_mean_image_is_created_and_subtracted(make: Make, tmp_path: Path) -> None:
    settings = {"mean_img": tmp_path / "mean.nd", "data_shape": (3, 30, 90), "resize_mode": "fit"}
    force = {**settings, "resize_mode": "force"}
    plain = make(data_shape=(3, 30, 90)).next().data[0].asnumpy()
    got = make(**force).next().data[0].asnumpy()
    assert np.allclose(got, plain - plain.mean(axis=0), atol=1e-3)
    assert make(**settings).next().data[0].shape == (4, 3, 30, 90)


def test_mirrored_images_have_mirrored_objects(make: Make) -> None:
    plain, mirrored = make().next(), make(rand_mirror_prob=1).next()
    assert np.array_equal(mirrored.data[0].asnumpy(), plain.data[0].asnumpy()[..., ::-1])
    before, after = plain.label[0].asnumpy(), mirrored.label[0].asnumpy()
    assert np.allclose(after[0, 7:13], [0, 1 - before[0, 10], 0.2, 1 - before[0, 8], 0.75, 50])


def test_borders_move_objects_with_their_pixels(make: Make) -> None:
    batch = make(rand_pad_prob=1, max_pad_scale=3, fill_value=7, resize_mode="fit").next()
    for data, label in zip(batch.data[0].asnumpy(), batch.label[0].asnumpy(), strict=True):
        left, top, right, bottom = label[8:12]
        assert 0 <= left < right <= 1 and 0 <= top < bottom <= 1
        width = (right - left) * 3
        assert 0.25 - 1e-4 <= width <= 0.75 + 1e-4
        assert (data == 7).any()


CROPS = {"rand_crop_prob": 1, "min_crop_scales": 0.3, "max_crop_scales": 0.9}


def test_crops_keep_objects_with_centers_inside() -> None:
    boxes = Boxes.from_labels(np.float32(labels_of(9)))
    cropping = Cropping(**{**CROPS, "min_crop_scales": (0.3,), "max_crop_scales": (0.9,)})
    whole = image(0)
    shares = []
    for seed in range(200):
        part, found = cropping(whole, boxes, Random(seed))
        assert 1 <= len(found.objects) <= 10
        corners = found.objects[:, 1:5]
        assert (corners >= 0).all() and (corners <= 1).all()
        shares.append(part.size / whole.size)
    assert min(shares) < 0.2 and max(shares) > 0.6


def test_constraints_hold_for_some_object() -> None:
    boxes = Boxes.from_labels(np.float32(labels_of(2)))
    cropping = Cropping(
        rand_crop_prob=1,
        min_crop_scales=(0.2,),
        min_crop_object_coverages=(0.7,),
        max_crop_object_coverages=(0.95,),
        crop_emit_mode="overlap",
        max_crop_trials=(500,),
    )
    for seed in range(50):
        part, found = cropping(image(0), boxes, Random(seed))
        assert part.size < image(0).size
        # Objects measure 0.25 by 0.55; their remaining share follows from their area in the crop.
        share = found.areas() * part.size / image(0).size / (0.25 * 0.55)
        assert ((share > 0.55) & (share < 1.1)).any()


def test_image_is_unchanged_if_no_sampler_succeeds() -> None:
    boxes = Boxes.from_labels(np.float32(labels_of(0)))
    for more in ({"min_crop_overlaps": (0.99,)}, {"max_crop_trials": (0,)}):
        cropping = Cropping(rand_crop_prob=1, min_crop_scales=(0.3,), **more)
        part, found = cropping(image(0), boxes, Random(0))
        assert part.shape == image(0).shape and found is boxes


def test_each_sampler_is_used() -> None:
    cropping = Cropping(
        rand_crop_prob=1,
        num_crop_sampler=2,
        min_crop_scales=(0.2, 0.8),
        max_crop_scales=(0.3, 0.9),
        max_crop_trials=(500, 500),
    )
    boxes = Boxes.from_labels(np.float32(labels_of(9)))
    parts = [cropping(image(0), boxes, Random(seed))[0] for seed in range(40)]
    small = sum(part.size < 0.3 * image(0).size for part in parts)
    assert 5 <= small <= 35


COLOURS = {
    "max_random_hue": 20,
    "random_hue_prob": 1,
    "max_random_saturation": 40,
    "random_saturation_prob": 1,
    "max_random_illumination": 40,
    "random_illumination_prob": 1,
    "max_random_contrast": 0.5,
    "random_contrast_prob": 1,
}


@pytest.mark.parametrize("what", ["hue", "saturation", "illumination", "contrast"])
def test_colours_change_by_themselves(what: str) -> None:
    one = {name: value for name, value in COLOURS.items() if what in name}
    colors = DetectionColors(**one)
    assert colors.changes and not DetectionColors(max_random_hue=9).changes
    changed = [colors(image(0), Random(seed)) for seed in range(5)]
    assert any(not np.array_equal(each, image(0)) for each in changed)
    never = DetectionColors(**{**one, f"random_{what}_prob": 1e-300})
    assert np.array_equal(never(image(0), Random(0)), image(0))


def test_augmentation_depends_only_on_the_seed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = {**CROPS, **COLOURS, "rand_mirror_prob": 0.5, "rand_pad_prob": 0.5, "max_pad_scale": 2}
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(8)))
    alone, threads = make(**chance, preprocess_threads=1), make(**chance, preprocess_threads=4)
    other = make(**chance, seed=3)
    first, same, different = alone.next(), threads.next(), other.next()
    for which in ("data", "label"):
        a, b, c = (getattr(each, which)[0].asnumpy() for each in (first, same, different))
        assert np.array_equal(a, b) and not np.array_equal(a, c)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"label_pad_width": 10}, "label_pad_width=10, but a record has 27 labels"),
        ({"dtype": "uint8"}, "expected float32"),
        ({"data_shape": (2, 9, 9)}, "Invalid output shape"),
        ({"data_shape": (1, 9, 9), "random_hue_prob": 1}, "color augmentations require 3 channels"),
        ({"resize_mode": "bend"}, "resize_mode='bend'"),
        ({"inter_method": 7}, "inter_method=7"),
        ({"crop_emit_mode": "edge"}, "crop_emit_mode='edge'"),
        ({"emit_overlap_thresh": -1}, "emit_overlap_thresh=-1"),
        ({"max_crop_scales": 1.5}, "0 <= min < max <= 1"),
        ({"min_crop_scales": (0.1, 0.2)}, "2 values; expected 1"),
        ({"num_crop_sampler": 2, "max_crop_trials": (1, 2, 3)}, "3 values; expected 1, or one"),
        ({"min_crop_overlaps": 0.9, "max_crop_overlaps": 0.1}, "min <= max"),
        ({"max_pad_scale": "wide"}, "max_pad_scale: got 'wide'; expected float"),
    ],
)
def test_invalid_settings_are_rejected(make: Make, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(MXNetError, match=message.replace("(", r"\(")):
        make(**settings)


def test_unknown_settings_are_reported(make: Make) -> None:
    with pytest.warns(UserWarning, match="rand_mirror_prop is ignored; did you mean rand_mirror"):
        make(rand_mirror_prop=1)


HOSTILE = [
    5.0,
    [],
    [2, 5],
    [2, 5, 1, 0, 0, 1],
    [1, 5, 0, 0, 0, 1, 1],
    [2, 4, 0, 0, 1, 1, 0],
    [9, 5, 0, 0, 0, 1, 1],
    [2, 5, 0, 0, 0, 1, 1, 3],
    [float("nan"), 5, 0, 0, 0, 1, 1],
    [2, float("inf"), 0, 0, 0, 1, 1],
    [-3, -5, 0, 0, 0, 1, 1],
]


@pytest.mark.parametrize("labels", HOSTILE)
def test_malformed_labels_are_reported(tmp_path: Path, make: Make, labels: Any) -> None:
    write(tmp_path / "b.rec", [labels, labels_of(0)])
    batches = make(path_imgrec=tmp_path / "b.rec", batch_size=1)
    with pytest.raises(MXNetError, match=r"record at offset 0 of .*b.rec: got .* labels"):
        batches.next()
    assert batches.next().label[0].asnumpy()[0, 3] == len(labels_of(0))


@given(st.lists(st.floats(width=32), max_size=20))
def test_labels_give_objects_or_an_error(labels: list[float]) -> None:
    try:
        boxes = Boxes.from_labels(np.array(labels, np.float32))
    except MXNetError:
        return
    assert (boxes.objects[:, 3] > boxes.objects[:, 1]).all()
    assert len(boxes.to_labels()) <= len(labels)


def test_damaged_label_counts_allocate_no_memory(path: Path, make: Make) -> None:
    content = bytearray(path.read_bytes())
    content[8:12] = (2**32 - 1).to_bytes(4, "little")  # labels of the first record
    path.write_bytes(content)
    batches = make()
    assert batches.provide_label[0].shape == (4, len(labels_of(3)) + 4)
    with pytest.warns(RuntimeWarning, match="announces 4294967295 labels.*the record is skipped"):
        batch = batches.next()
    assert batch.pad == 1 and batch.index[:3].tolist() == [101, 102, 103]


def test_damaged_images_are_skipped(tmp_path: Path, make: Make) -> None:
    record = recordio.MXRecordIO(tmp_path / "b.rec", "w")
    record.write(recordio.pack((0, labels_of(0), 0, 0), b"no image"))
    record.write(recordio.pack_img((0, labels_of(1), 1, 0), image(1), img_fmt=".png"))
    record.close()
    batches = make(path_imgrec=tmp_path / "b.rec", batch_size=2)
    with pytest.warns(RuntimeWarning, match="cannot be decoded"):
        batch = batches.next()
    assert batch.pad == 1 and batch.index[0] == 1


def test_borders_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPFORGE_IMAGE_MAX_PIXELS", str(4 * ROWS * COLUMNS))
    placing = DetectionGeometry(rand_pad_prob=1, max_pad_scale=1000)
    boxes = Boxes.from_labels(np.float32(labels_of(0)))
    with pytest.raises(MXNetError, match="an image with its border is"):
        placing.pad(image(0), boxes, Random(0))


def test_objects_in_regions() -> None:
    boxes = Boxes.from_labels(np.float32([2, 5, 1, 0.0, 0.0, 0.5, 0.5, 2, 0.25, 0.5, 1.0, 1.0]))
    region = Region(0.25, 0.25, 0.5, 0.5)
    assert boxes.areas().tolist() == [0.25, 0.375]
    assert boxes.intersections(region).tolist() == [0.0625, 0.125]
    assert boxes.centered_in(region).tolist() == [True, False]
    assert boxes.relative_to(region).objects[:, 1:].tolist() == [[0, 0, 0.5, 0.5], [0, 0.5, 1, 1]]
    assert boxes.mirror().objects[:, 1:].tolist() == [[0.5, 0, 1, 0.5], [0, 0.5, 0.75, 1]]


def test_epochs_continue(make: Make) -> None:
    batches = make(batch_size=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for wanted in ([3, 3], [3]):
            assert [len(batch.index) for batch in batches] == wanted
            batches.reset()
