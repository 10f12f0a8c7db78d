"""Tests of `io.ImageRecordIter`: epochs, parts, labels, augmentations, threads and damage."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_image import recordio
from opforge_image.record_iter.prefetching import Prefetcher

import opforge as mx
from opforge.base import MXNetError

Make = Callable[..., Any]


def image(number: int) -> np.ndarray:
    """Return an image of 9 x 11 whose neighboring bytes differ."""
    rows, columns, channels = np.ogrid[:9, :11, :3]
    return ((number * 20 + 11 * rows + columns + 60 * channels) % 256).astype(np.uint8)


def write(path: Path, count: int = 10, labels: Callable[[int], Any] = float) -> list[int]:
    """Write `count` lossless images and return the offset of each."""
    record = recordio.MXIndexedRecordIO(path.with_suffix(".idx"), path, "w")
    for i in range(count):
        header = (0, labels(i), 100 + i, 0)
        record.write_idx(i, recordio.pack_img(header, image(i), quality=1, img_fmt=".png"))
    record.close()
    return list(record.idx.values())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of ten images."""
    write(tmp_path / "a.rec")
    return tmp_path / "a.rec"


@pytest.fixture
def make(path: Path) -> Iterator[Make]:
    """Yield a function that creates an iterator over the ten images, closed with the test."""
    settings = {"path_imgrec": path, "data_shape": (3, 9, 11), "batch_size": 4}
    with ExitStack() as stack:

        def iterator(name: str = "ImageRecordIter", **changes: Any) -> Any:
            made = getattr(mx.io, name)(**{**settings, **changes})
            return stack.enter_context(closing(made))

        yield iterator


def epochs(batches: Any, count: int) -> list[list[tuple[list[float], int]]]:
    """Return labels and padding of each batch of some epochs."""
    seen = []
    for _ in range(count):
        seen.append([(batch.label[0].asnumpy().tolist(), batch.pad) for batch in batches])
        batches.reset()
    return seen


def data_of(batches: Any) -> np.ndarray:
    """Return the data of an epoch."""
    return np.concatenate([batch.data[0].asnumpy() for batch in batches])


def test_images_are_red_green_blue_with_channels_first(make: Make) -> None:
    batches = make()
    batch = batches.next()
    assert batch.data[0].dtype == np.float32 and batch.data[0].shape == (4, 3, 9, 11)
    assert np.array_equal(batch.data[0][2].asnumpy(), image(2)[:, :, ::-1].transpose(2, 0, 1))
    assert batch.index.tolist() == [100, 101, 102, 103]
    (data,), (label,) = batches.provide_data, batches.provide_label
    assert (data.name, data.shape, data.dtype) == ("data", (4, 3, 9, 11), np.float32)
    assert (label.name, label.shape) == ("softmax_label", (4,))


def test_names_can_be_chosen(make: Make) -> None:
    batches = make(data_name="image", label_name="kind")
    assert batches.provide_data[0].name == "image" and batches.provide_label[0].name == "kind"


def test_the_last_batch_is_filled_from_the_next_pass(make: Make) -> None:
    assert epochs(make(), 3) == [
        [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0), ([8, 9, 0, 1], 2)],
        [([2, 3, 4, 5], 0), ([6, 7, 8, 9], 0)],
        [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0), ([8, 9, 0, 1], 2)],
    ]


def test_the_last_batch_is_filled_from_its_epoch(make: Make) -> None:
    one = [([0, 1, 2, 3], 0), ([4, 5, 6, 7], 0), ([8, 9, 0, 1], 2)]
    assert epochs(make(round_batch=False), 2) == [one, one]


def test_batches_larger_than_the_file(make: Make) -> None:
    first, second = epochs(make(batch_size=16), 2)
    assert first == [([*range(10), *range(6)], 6)]
    assert second == [([6, 7, 8, 9, *range(10), 0, 1], 12)]


def test_reset_before_the_end_restarts_the_pass(make: Make) -> None:
    batches = make()
    batches.reset()
    batches.next()
    batches.reset()
    batches.reset()
    assert batches.next().label[0].asnumpy().tolist() == [0, 1, 2, 3]


def test_each_method_of_data_iterators_works(make: Make) -> None:
    batches = make()
    assert batches.iter_next() and batches.getpad() == 0
    assert batches.getlabel()[0].asnumpy().tolist() == [0, 1, 2, 3]
    assert batches.getdata()[0].shape == (4, 3, 9, 11)
    assert batches.getindex().tolist() == [100, 101, 102, 103]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_parts_hold_each_record_once(make: Make, path: Path, indexed: bool, shuffle: bool) -> None:
    more = {"path_imgidx": path.with_suffix(".idx")} if indexed else {}
    seen = []
    for part in range(3):
        batches = make(batch_size=1, num_parts=3, part_index=part, shuffle=shuffle, **more)
        seen += [batch.label[0].asscalar() for batch in batches]
    assert sorted(seen) == list(range(10))


def test_shuffling_depends_on_the_seed_and_differs_between_passes(make: Make) -> None:
    first, second, third = epochs(make(shuffle=True, batch_size=5, seed=3), 3)
    assert [first, second, third] == epochs(make(shuffle=True, batch_size=5, seed=3), 3)
    assert first != second and first != epochs(make(shuffle=True, batch_size=5, seed=4), 1)[0]
    assert sorted(label for labels, _ in first for label in labels) == list(range(10))


RANDOM = {
    "data_shape": (3, 6, 7),
    "rand_crop": True,
    "rand_mirror": True,
    "max_rotate_angle": 20,
    "max_random_scale": 1.3,
    "brightness": 0.3,
    "contrast": 0.3,
    "saturation": 0.3,
    "random_h": 9,
    "random_s": 9,
    "random_l": 9,
    "pca_noise": 0.1,
    "max_random_contrast": 0.2,
    "max_random_illumination": 9.0,
    "inter_method": 10,
}


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("ahead", [0, 1, 9])
def test_results_do_not_depend_on_threads_and_queue(
    make: Make, monkeypatch: pytest.MonkeyPatch, threads: int, ahead: int
) -> None:
    alone = make(**RANDOM, preprocess_threads=1, seed=5, batch_size=10)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(16)))
    others = make(
        **RANDOM, preprocess_threads=threads, prefetch_buffer=ahead, seed=5, batch_size=10
    )
    for _ in range(2):
        assert np.array_equal(data_of(alone), data_of(others))
        alone.reset()
        others.reset()


def test_augmentations_change_with_seed_and_epoch(make: Make) -> None:
    batches = make(**RANDOM, batch_size=5)
    first = data_of(batches)
    batches.reset()
    assert not np.array_equal(first, data_of(batches))
    assert not np.array_equal(first, data_of(make(**RANDOM, batch_size=5, seed=1)))


def test_seed_aug_repeats_augmentations_in_each_epoch(make: Make) -> None:
    batches = make(**RANDOM, batch_size=5, seed_aug=3)
    first = data_of(batches)
    batches.reset()
    assert np.array_equal(first, data_of(batches))
    assert not np.array_equal(first, data_of(make(**RANDOM, batch_size=5, seed_aug=4)))


def test_values_are_normalized_per_channel(make: Make) -> None:
    means, deviations = (10.5, 20.0, 30.0), (2.0, 4.0, 8.0)
    settings = dict(zip(("mean_r", "mean_g", "mean_b"), means, strict=True))
    settings |= dict(zip(("std_r", "std_g", "std_b"), deviations, strict=True))
    plain = data_of(make())
    expected = (plain - np.reshape(means, (3, 1, 1))) / np.reshape(deviations, (3, 1, 1)) * 0.5
    np.testing.assert_allclose(data_of(make(**settings, scale=0.5)), expected, rtol=1e-5)
    rounded = np.clip(plain - np.reshape((10, 20, 30), (3, 1, 1)), -128, 127)
    assert np.array_equal(data_of(make(**settings, dtype="int8")), rounded)
    assert np.array_equal(data_of(make(**settings, dtype="uint8")), plain)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_iterators_of_other_types(make: Make, dtype: str) -> None:
    name = {"uint8": "ImageRecordUInt8Iter", "int8": "ImageRecordInt8Iter"}[dtype]
    batches = make(name)
    batch = batches.next()
    assert batch.data[0].dtype == batches.provide_data[0].dtype == np.dtype(dtype)


@pytest.mark.parametrize("name", ["ImageRecordIter", "ImageRecordUInt8Iter"])
def test_first_versions_are_aliases(make: Make, name: str) -> None:
    assert np.array_equal(data_of(make(f"{name}_v1")), data_of(make(name)))


def test_images_are_mirrored(make: Make) -> None:
    plain = data_of(make())
    assert np.array_equal(data_of(make(mirror=True)), plain[..., ::-1])
    half = data_of(make(rand_mirror=True, batch_size=10))
    mirrored = [np.array_equal(a, b[..., ::-1]) for a, b in zip(half, plain, strict=False)]
    kept = [np.array_equal(a, b) for a, b in zip(half, plain, strict=False)]
    assert any(mirrored) and any(kept) and np.logical_xor(mirrored, kept).all()


def test_center_and_random_crops(make: Make) -> None:
    plain = data_of(make(batch_size=10))
    assert np.array_equal(data_of(make(data_shape=(3, 5, 5), batch_size=10)), plain[..., 2:7, 3:8])
    cut = data_of(make(data_shape=(3, 5, 5), rand_crop=True, batch_size=10))
    windows = [
        [plain[i, :, y : y + 5, x : x + 5] for y in range(5) for x in range(7)] for i in range(10)
    ]
    assert all(any(np.array_equal(a, b) for b in windows[i]) for i, a in enumerate(cut))


@pytest.mark.parametrize(
    "settings",
    [
        {"resize": 30},
        {"data_shape": (3, 20, 30)},
        {"rotate": 30},
        {"pad": 3},
        {"max_shear_ratio": 0.3},
        {"min_random_scale": 0.5, "max_random_scale": 2},
        {"min_aspect_ratio": 0.5, "max_aspect_ratio": 2},
        {"max_aspect_ratio": 0.3},
        {"min_img_size": 20},
        {"min_crop_size": 3, "max_crop_size": 9},
        {"random_resized_crop": True},
        {"random_resized_crop": True, "min_random_area": 0.1, "max_aspect_ratio": 0.4},
        {"random_resized_crop": True, "min_random_area": 5, "max_random_area": 9},
        {"data_shape": (1, 9, 11)},
        {"inter_method": 9, "resize": 7, "data_shape": (3, 30, 30)},
    ],
)
def test_every_geometry_returns_the_requested_shape(make: Make, settings: dict) -> None:
    batch = make(**settings).next()
    assert batch.data[0].shape[1:] == settings.get("data_shape", (3, 9, 11))
    assert np.isfinite(batch.data[0].asnumpy()).all()


def test_images_with_transparency(make: Make, tmp_path: Path) -> None:
    record = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    transparent = np.arange(4 * 5 * 4, dtype=np.uint8).reshape(4, 5, 4)
    record.write(recordio.pack_img((0, 1, 0, 0), transparent, quality=1, img_fmt=".png"))
    record.close()
    batches = make(path_imgrec=tmp_path / "a.rec", data_shape=(4, 4, 5), batch_size=1, mean_a=2)
    red_first = transparent[:, :, [2, 1, 0, 3]].transpose(2, 0, 1).astype(np.float32)
    red_first[3] -= 2
    assert np.array_equal(batches.next().data[0][0].asnumpy(), red_first)


def test_several_labels_and_labels_of_a_list(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "b.rec", labels=lambda i: [i, i / 2])
    batch = make(path_imgrec=tmp_path / "b.rec", label_width=2).next()
    assert batch.label[0].asnumpy().tolist() == [[0, 0], [1, 0.5], [2, 1], [3, 1.5]]
    (tmp_path / "b.lst").write_text("".join(f"{100 + i}\t{-i}\tx/{i}.png\n" for i in range(10)))
    batch = make(path_imglist=tmp_path / "b.lst").next()
    assert batch.label[0].asnumpy().tolist() == [0, -1, -2, -3]


def test_wrong_numbers_of_labels_are_rejected(make: Make, tmp_path: Path) -> None:
    with pytest.raises(MXNetError, match="record 100 has 1 labels; expected label_width=2"):
        make(label_width=2).next()
    (tmp_path / "b.lst").write_text("100\t1\tx.png\n")
    with pytest.raises(MXNetError, match=r"record 101 has no line in .*b\.lst"):
        make(path_imglist=tmp_path / "b.lst").next()
    (tmp_path / "b.lst").write_text("100\t1\tx.png\n101\tx.png\n")
    with pytest.raises(MXNetError, match=r"line 2 of .*b\.lst"):
        make(path_imglist=tmp_path / "b.lst")


def test_mean_image_is_created_once_and_subtracted(make: Make, tmp_path: Path) -> None:
    plain = data_of(make(batch_size=10))
    mean = tmp_path / "mean.nd"
    np.testing.assert_allclose(
        data_of(make(mean_img=mean, batch_size=10)), plain - plain.mean(axis=0), atol=1e-3
    )
    made = mean.read_bytes()
    make(mean_img=mean, batch_size=3, mirror=True, scale=2).next()
    assert mean.read_bytes() == made
    with pytest.raises(MXNetError, match="expected one of"):
        make(mean_img=mean, data_shape=(3, 5, 5))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"data_shape": (5, 9, 11)}, "Invalid output shape"),
        ({"data_shape": (3, 9)}, "Invalid output shape"),
        ({"data_shape": (3, 0, 9)}, "Invalid output shape"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"preprocess_threads": 0}, "preprocess_threads=0"),
        ({"dtype": "float64"}, "dtype"),
        ({"scale": "x"}, "argument scale: got 'x'; expected float"),
        ({"rand_crop": "maybe"}, "argument rand_crop"),
        ({"inter_method": 7}, "inter_method=7"),
        ({"num_parts": 3, "part_index": 3}, "expected 0 to 2"),
        ({"num_parts": 30, "part_index": 29}, "has no record"),
        ({"random_resized_crop": True, "rand_crop": True}, "excludes rand_crop"),
        ({"random_resized_crop": True, "min_aspect_ratio": 2}, "the smaller value first"),
        ({"random_resized_crop": True, "max_random_area": 0.5}, "the smaller value first"),
        ({"data_shape": (1, 9, 11), "brightness": 0.5}, "3 channels"),
    ],
)
def test_invalid_arguments_are_rejected(make: Make, settings: dict, message: str) -> None:
    with pytest.raises(MXNetError, match=message):
        make(**settings)


def test_squares_larger_than_the_image_are_rejected(make: Make) -> None:
    with pytest.raises(MXNetError, match="9 x 11 has no square crop"):
        make(min_crop_size=20, max_crop_size=20).next()


def test_missing_and_empty_files_are_reported(make: Make, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none"):
        make(path_imgrec=tmp_path / "none.rec")
    (tmp_path / "empty.rec").touch()
    with pytest.raises(MXNetError, match=r"empty\.rec has no records"):
        make(path_imgrec=tmp_path / "empty.rec")


def test_unknown_arguments_are_reported(make: Make) -> None:
    with pytest.warns(UserWarning, match="and_mirror is ignored; did you mean rand_mirror"):
        make(and_mirror=True)
    make(verbose=False, ctx="cpu")


def test_records_that_are_not_images_are_skipped(make: Make, path: Path) -> None:
    offsets = write(path)
    with open(path, "r+b") as file:
        file.seek(offsets[1] + 8 + 24)
        file.write(bytes(8))  # the image's first bytes
        file.seek(offsets[6])
        file.write(b"junk")  # the record's head
    batches = make(path_imgidx=path.with_suffix(".idx"))
    with pytest.warns(RuntimeWarning) as warned:
        (seen,) = epochs(batches, 1)
    assert [(sorted({*labels[: 4 - pad]}), pad) for labels, pad in seen] == [
        ([0, 2, 3], 1),
        ([4, 5, 7], 1),
        ([8, 9], 2),
    ]
    assert [str(offsets[1]) in str(warned[0].message), str(offsets[6]) in str(warned[1].message)]
    assert len([w for w in warned if "the record is skipped" in str(w.message)]) == 2


def test_records_with_too_few_labels_are_skipped(make: Make, path: Path) -> None:
    offsets = write(path)
    with open(path, "r+b") as file:
        file.seek(offsets[2] + 8)
        file.write(b"\0\0\1\0")  # its header's number of labels
    with pytest.warns(RuntimeWarning, match="announces 65536 labels.*the record is skipped"):
        batch = make(path_imgidx=path.with_suffix(".idx")).next()
    assert (batch.label[0].asnumpy()[:3].tolist(), batch.pad) == ([0, 1, 3], 1)


def test_batch_without_images_raises_and_the_next_one_follows(make: Make, tmp_path: Path) -> None:
    record = recordio.MXRecordIO(tmp_path / "b.rec", "w")
    for i in range(2):
        record.write(recordio.pack((0, i, i, 0), b"no image"))
    record.write(recordio.pack_img((0, 2, 2, 0), image(2)))
    record.close()
    batches = make(path_imgrec=tmp_path / "b.rec", batch_size=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with pytest.raises(MXNetError, match="no record of a batch holds an image"):
            batches.next()
        assert batches.next().label[0].asnumpy().tolist() == [2, 2]


def test_epoch_continues_after_an_error(make: Make, tmp_path: Path) -> None:
    write(tmp_path / "b.rec", labels=lambda i: [i, i] if i == 2 else i)
    batches = make(path_imgrec=tmp_path / "b.rec", batch_size=3, num_parts=1, round_batch=False)
    with pytest.raises(MXNetError, match="record 102 has 2 labels"):
        batches.next()
    assert epochs(batches, 1) == [[([3, 4, 5], 0), ([6, 7, 8], 0), ([9, 0, 1], 2)]]


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(min_size=1, max_size=9)), max_size=6))
def test_damaged_bytes_yield_images_warnings_or_errors(
    tmp_path_factory: pytest.TempPathFactory, damages: list[tuple[int, bytes]]
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "a.rec"
    write(path, count=4)
    content = bytearray(path.read_bytes())
    for offset, new in damages:
        start = offset % len(content)
        content[start : start + len(new)] = new[: len(content) - start]
    path.write_bytes(content)
    seen = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        shapes = {"data_shape": (3, 9, 11), "batch_size": 2, "preprocess_threads": 1}
        try:
            with closing(mx.io.ImageRecordIter(path_imgrec=path, **shapes)) as batches:
                for batch in batches:
                    assert batch.data[0].shape == (2, 3, 9, 11)
                    seen += 2 - batch.pad
        except MXNetError as error:
            assert str(path) in str(error)
    assert seen <= 4


def test_queue_limits_the_batches_filled_ahead() -> None:
    made: list[int] = []

    def batches() -> Any:
        for i in range(100):
            made.append(i)
            yield i

    ahead = Prefetcher(lambda batch, start, stop: [], rows=4, threads=2, depth=3)
    ahead.start(batches())
    assert len(made) == 3
    assert [ahead.next()[0] for _ in range(5)] == list(range(5))
    assert len(made) == 8
    ahead.start(iter([]))
    assert ahead.next() is None
    ahead.close()


def test_module_training(make: Make) -> None:
    data = mx.sym.var("data")
    net = mx.sym.FullyConnected(mx.sym.flatten(data), num_hidden=10)
    module = mx.mod.Module(mx.sym.SoftmaxOutput(net, name="softmax"))
    module.fit(make(scale=1 / 255), num_epoch=2, optimizer_params={"learning_rate": 0.1})
    assert module.predict(make(scale=1 / 255)).shape == (10, 10)
