"""Tests of `ImageIter` and `ImageDetIter`: batches, epochs, random choices and broken images."""

import random

import cv2
import numpy as np
import pytest
from opforge_image import recordio

import opforge as mx

SIZE = (3, 12, 10)
COUNT = 7


def encoded_image(number):
    """Return an encoded image of one color."""
    return cv2.imencode(".png", np.full((20, 30, 3), number, np.uint8))[1].tobytes()


def boxes(number):
    """Return a label with one to three boxes."""
    rows = [(k, 0.1 * k, 0.1, 0.3 + 0.1 * k, 0.8) for k in range(1 + number % 3)]
    return [4.0, 5.0, 30.0, 20.0, *(value for row in rows for value in row)]


@pytest.fixture
def folder(tmp_path):
    """Return a folder with images, a list of them, and record files with labels and boxes."""
    labels = {"plain": float, "boxes": boxes}
    for name, label in labels.items():
        paths = (str(tmp_path / f"{name}.idx"), str(tmp_path / f"{name}.rec"))
        file = recordio.MXIndexedRecordIO(*paths, "w")
        for number in range(COUNT):
            header = recordio.IRHeader(0, label(number), number, 0)
            file.write_idx(number, recordio.pack(header, encoded_image(number)))
        file.close()
    for number in range(COUNT):
        (tmp_path / f"{number}.png").write_bytes(encoded_image(number))
    lines = (f"{number}\t{number}\t{number}.png\n" for number in range(COUNT))
    (tmp_path / "all.lst").write_text("".join(lines))
    return tmp_path


def sources(folder):
    """Return arguments for each kind of source."""
    rec, idx = folder / "plain.rec", folder / "plain.idx"
    entries = [[float(number), f"{number}.png"] for number in range(COUNT)]
    return [
        {"path_imgrec": rec},
        {"path_imgrec": rec, "path_imgidx": idx},
        {"path_imglist": folder / "all.lst", "path_root": folder},
        {"imglist": entries, "path_root": folder},
    ]


def epoch(iterator):
    """Return labels, the values of the images and paddings of an epoch."""
    labels, values, pads = [], [], []
    for batch in iterator:
        assert batch.data[0].shape == iterator.provide_data[0].shape
        assert batch.label[0].shape == iterator.provide_label[0].shape
        labels += batch.label[0].asnumpy().tolist()
        values += batch.data[0].asnumpy()[:, 0, 0, 0].tolist()
        pads.append(batch.pad)
    return labels, values, pads


@pytest.mark.parametrize("source", range(4))
def test_ends_of_epochs(folder, source):
    given = sources(folder)[source]
    numbers = [float(number) for number in range(COUNT)]
    wants = {
        "pad": [([*numbers, 0, 1], [0, 0, 2])] * 2,
        "discard": [(numbers[:6], [0, 0])] * 2,
        "roll_over": [
            (numbers[:6], [0, 0]),
            ([6, *numbers[:5]], [2, 0]),
            ([5, 6, *numbers], [1, 0, 0]),
        ],
    }
    for handle, epochs in wants.items():
        iterator = mx.image.ImageIter(3, SIZE, last_batch_handle=handle, **given)
        for labels, pads in epochs:
            assert epoch(iterator) == (labels, labels, pads)
            iterator.reset()
    iterator = mx.image.ImageIter(3, SIZE, last_batch_handle="roll_over", **given)
    epoch(iterator)
    iterator.hard_reset()
    assert epoch(iterator)[0] == numbers[:6]
    # Fewer images than a batch are repeated.
    wide = mx.image.ImageIter(16, SIZE, **given)
    assert epoch(wide) == ([*numbers, *numbers, 0, 1],) * 2 + ([9],)


def test_shuffled_and_in_parts(folder):
    random.seed(3)
    given = sources(folder)[1]
    iterator = mx.image.ImageIter(1, SIZE, shuffle=True, **given)
    first = epoch(iterator)
    iterator.reset()
    second = epoch(iterator)
    assert sorted(first[0]) == sorted(second[0]) == list(range(COUNT))
    assert first[0] != second[0] and first[0] == first[1]
    parts = [
        epoch(mx.image.ImageIter(1, SIZE, part_index=at, num_parts=3, **given))[0]
        for at in range(3)
    ]
    assert parts == [[0, 1], [2, 3], [4, 5]]


def test_augmented_batches(folder):
    iterator = mx.image.ImageIter(
        2, SIZE, rand_crop=True, rand_resize=True, rand_mirror=True, mean=True, **sources(folder)[0]
    )
    batch = iterator.next()
    expected = -np.array([123.68, 116.28, 103.53])
    np.testing.assert_allclose(batch.data[0].asnumpy()[0, :, 0, 0], expected, rtol=1e-5)
    assert iterator.provide_label[0].name == "softmax_label"


def test_several_labels(folder):
    entries = [[1.0, 2.0, "1.png"], [[3.0, 4.0], "2.png"]]
    iterator = mx.image.ImageIter(2, SIZE, label_width=2, imglist=entries, path_root=folder)
    assert iterator.next().label[0].asnumpy().tolist() == [[1, 2], [3, 4]]


class FromSources(mx.image.ImageIter):
    """Reads samples itself, as subclasses in MXNet programs do."""

    def next_sample(self):
        if self.cur == len(self.seq):
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is not None:
            header, image = recordio.unpack(self.imgrec.read_idx(key))
            return header.label, image
        label, name = self.imglist[key]
        return label, self.read_image(name)


@pytest.mark.parametrize("source", range(1, 4))
def test_subclasses_read_from_the_sources(folder, source):
    batches = FromSources(2, SIZE, **sources(folder)[source])
    assert (batches.imglist is None) == (source == 1)
    assert batches.path_root == (None if source == 1 else str(folder))
    labels = [batch.label[0].asnumpy()[: 2 - batch.pad] for batch in batches]
    assert np.concatenate(labels).tolist() == list(range(COUNT))


def test_broken_images_are_named(folder):
    (folder / "3.png").write_bytes(b"nothing")
    iterator = mx.image.ImageIter(1, SIZE, **sources(folder)[2])
    with pytest.raises(RuntimeError, match=r"Broken image filename: 3\.png, .*cannot be decoded"):
        epoch(iterator)
    # The next image can be read.
    assert iterator.next().label[0].asscalar() == 4
    (folder / "5.png").unlink()
    with pytest.raises(FileNotFoundError, match=r"5\.png"):
        iterator.next()


WRONG = [
    ({}, "pass one of path_imgrec"),
    ({"imglist": [], "dtype": "int8"}, "dtype is 'int8'"),
    ({"imglist": [], "last_batch_handle": "keep"}, "last_batch_handle is 'keep'"),
    ({"imglist": [], "data_shape": (1, 9, 9)}, "3 channels"),
    ({"imglist": [], "data_shape": (3, 9)}, "length 3"),
    ({"imglist": [], "part_index": 2, "num_parts": 2}, "part_index is 2"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_invalid_arguments_are_rejected(arguments, words):
    with pytest.raises(ValueError, match=words):
        mx.image.ImageIter(**{"batch_size": 1, "data_shape": SIZE, **arguments})


def test_parts_and_shuffling_require_an_index(folder):
    for arguments in ({"shuffle": True}, {"num_parts": 2}):
        with pytest.raises(ValueError, match=r"requires? its index"):
            mx.image.ImageIter(1, SIZE, path_imgrec=folder / "plain.rec", **arguments)
    (folder / "all.lst").write_text("0\t1\t0.png\none\t2\t1.png\n")
    with pytest.raises(mx.MXNetError, match=r"line 2 of .*all\.lst is 'one"):
        mx.image.ImageIter(1, SIZE, **sources(folder)[2])


def detected(folder, batch_size=3, **arguments):
    return mx.image.ImageDetIter(
        batch_size,
        SIZE,
        path_imgrec=folder / "boxes.rec",
        path_imgidx=folder / "boxes.idx",
        **arguments,
    )


def test_batches_with_boxes(folder):
    iterator = detected(folder)
    assert iterator.label_shape == (3, 5)
    labels, values, pads = epoch(iterator)
    assert values == [0, 1, 2, 3, 4, 5, 6, 0, 1] and pads == [0, 0, 2]
    for number, rows in zip(values, labels, strict=True):
        expected = np.full((3, 5), -1, np.float32)
        found = np.float32(boxes(int(number))[4:]).reshape(-1, 5)
        expected[: len(found)] = found
        np.testing.assert_array_equal(rows, expected)


def test_label_shapes_are_synchronized(folder):
    first = detected(folder)
    entry = [2.0, 5.0, 0.0, 0.1, 0.1, 0.9, 0.9, "1.png"]
    second = mx.image.ImageDetIter(1, SIZE, imglist=[entry], path_root=folder)
    assert second.label_shape == (1, 5)
    assert first.sync_label_shape(second) is second
    assert second.next().label[0].shape == (1, 3, 5)
    second.reshape(data_shape=(3, 5, 6), label_shape=(4, 5))
    second.reset()
    assert second.provide_data[0].shape == (1, 3, 5, 6)
    assert second.provide_label[0].shape == (1, 4, 5)
    for shape in ((3, 5), (5, 6), (5,)):
        with pytest.raises(ValueError, match="label_shape is"):
            second.reshape(label_shape=shape)


@pytest.mark.parametrize(
    "label", [[2.0, 5.0, 0.0], [2, 5, 0, 0.5, 0.5, 0.5, 0.9], [0, 0, *range(9)], [2, 4, *range(8)]]
)
def test_malformed_labels_are_rejected(folder, label):
    with pytest.raises(RuntimeError, match="a label"):
        mx.image.ImageDetIter(1, SIZE, imglist=[[label, "1.png"]], path_root=folder)


def test_boxes_are_drawn(folder):
    names = {0: "cat"}
    drawn = list(detected(folder, aug_list=[]).draw_next(color=(255, 0, 0), id2labels=names))
    assert len(drawn) == COUNT
    assert drawn[0].shape == (20, 30, 3) and drawn[0].dtype == np.uint8
    assert (drawn[0] == (0, 0, 255)).all(axis=2).any()  # blue first


def test_boxes_follow_their_objects():
    """The label of a white box on black matches it after cropping, padding and mirroring."""
    source = np.zeros((60, 80, 3), np.uint8)
    source[15:45, 20:60] = 255
    label = np.array([[0, 0.25, 0.25, 0.75, 0.75]], np.float32)
    augmenters = mx.image.CreateDetAugmenter(
        (3, 64, 64), rand_crop=0.7, rand_pad=0.7, rand_mirror=True, inter_method=1, pad_val=0
    )
    seen = set()
    for seed in range(40):
        random.seed(seed)
        data, found = mx.nd.array(source, dtype="uint8"), label.copy()
        for augmenter in augmenters:
            data, found = augmenter(data, found)
        white = data.asnumpy()[:, :, 0] > 127
        rows, columns = (np.flatnonzero(white.any(axis=axis)) for axis in (1, 0))
        edges = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]) / 64
        np.testing.assert_allclose(found[0, 1:5], edges, atol=2.5 / 64)
        seen.add(tuple(edges))
    assert len(seen) > 20


def test_invalid_augmenters():
    det = mx.image.det
    with pytest.warns(UserWarning, match="DetRandomCropAug does not change images"):
        assert not det.DetRandomCropAug(area_range=(0.5, 0.1)).enabled
    with pytest.warns(UserWarning, match="DetRandomPadAug does not change"):
        assert not det.DetRandomPadAug(area_range=(0.5, 1.0)).enabled
    with pytest.raises(ValueError, match="min_object_covered has 2 values; expected 1 or 3"):
        det.CreateMultiRandCropAugmenter([0.1, 0.2], area_range=[(0.1, 1.0)] * 3)
    with pytest.raises(TypeError, match="expected an Augmenter"):
        det.DetBorrowAug(det.DetHorizontalFlipAug(0.5))
    with pytest.raises(ValueError, match="expected DetAugmenters"):
        det.DetRandomSelectAug([mx.image.CastAug()])
    assert det.DetBorrowAug(mx.image.CastAug()).dumps() == [
        "detborrowaug",
        '["castaug", {"type": "float32"}]',
    ]
