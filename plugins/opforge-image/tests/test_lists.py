"""Tests of damaged image lists and records, and of list entries that leave their folder."""

import cv2
import numpy as np
import pytest
from opforge_image import recordio
from opforge_image.data_sets import ImageRecordDataset
from opforge_image.im2rec import main
from opforge_image.lists import read_list

import opforge as mx

SIZE = (3, 8, 8)
PICTURE = cv2.imencode(".png", np.zeros((10, 10, 3), np.uint8))[1].tobytes()
DAMAGED = [
    b"1\tone\t0.png",
    b"one\t1\t0.png",
    b"1\t0.png",
    b"1\t\xff\xfe\t0.png",
    b"1\t2\t\xff.png",
    b"1\t2\ta\0b.png",
    b"1\tnan\t0.png",
    b"1\t1e999\t0.png",
    b"1\t2\t",
    b"\x89PNG\r",
]


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "0.png").write_bytes(PICTURE)
    (tmp_path / "secret.png").write_bytes(PICTURE)
    return root


def readers(path, root):
    """Return all readers of lists."""
    record = path.with_suffix(".rec")
    packed = recordio.MXRecordIO(record, "w")
    packed.write(recordio.pack((0, 1.0, 0, 0), PICTURE))
    packed.close()
    lists = {"path_imglist": path, "path_root": root}
    return [
        lambda: list(read_list(path)),
        lambda: mx.image.ImageIter(1, SIZE, **lists),
        lambda: mx.image.ImageDetIter(1, SIZE, **lists),
        lambda: mx.io.ImageRecordIter(
            path_imgrec=record, path_imglist=path, data_shape=SIZE, batch_size=1
        ),
        lambda: mx.io.ImageDetRecordIter(
            path_imgrec=record, path_imglist=path, data_shape=SIZE, batch_size=1
        ),
    ]


@pytest.mark.parametrize("line", DAMAGED)
def test_damaged_lines_are_named(tmp_path, root, line):
    path = tmp_path / "a.lst"
    path.write_bytes(b"0\t0\t0.png\n\n" + line + b"\n")
    for reader in readers(path, root):
        with pytest.raises(mx.MXNetError, match=r"line [34] of .*a\.lst is "):
            reader()


@pytest.mark.parametrize("entry", [[], ["0.png"], [1.0, 2], ["one", "0.png"], [None, "0.png"], 7])
def test_damaged_entries_are_named(root, entry):
    with pytest.raises(mx.MXNetError, match=r"imglist\[1\]"):
        mx.image.ImageIter(1, SIZE, imglist=[[1.0, "0.png"], entry], path_root=root)


def test_labels_out_of_range_of_the_type(tmp_path, root):
    (tmp_path / "a.lst").write_text("3\t1e12\t0.png\n")
    with pytest.raises(mx.MXNetError, match=r"key 3 of .*a\.lst: .*int32 holds"):
        mx.image.ImageIter(1, SIZE, path_imglist=tmp_path / "a.lst", path_root=root, dtype="int32")


@pytest.mark.parametrize("name", ["../secret.png", "{}/secret.png", "a/../../secret.png"])
def test_entries_that_leave_the_root(tmp_path, root, name):
    name = name.format(tmp_path)
    (tmp_path / "a.lst").write_text(f"0\t0\t0.png\n1\t0\t{name}\n")
    (root / "a").mkdir()
    for source in ({"path_imglist": tmp_path / "a.lst"}, {"imglist": [[1.0, name]]}):
        with pytest.raises(mx.MXNetError, match=r"secret.*leaves.*allow_outside_root=True"):
            mx.image.ImageIter(1, SIZE, path_root=root, **source)
        allowed = mx.image.ImageIter(1, SIZE, path_root=root, allow_outside_root=True, **source)
        assert len(list(allowed)) == allowed.num_image
    box = [2, 5, 0, 0.1, 0.1, 0.9, 0.9]
    with pytest.raises(mx.MXNetError, match="leaves the folder"):
        mx.image.ImageDetIter(1, SIZE, imglist=[[box, name]], path_root=root)
    detected = mx.image.ImageDetIter(
        1, SIZE, imglist=[[box, name]], path_root=root, allow_outside_root=True
    )
    assert len(list(detected)) == 1


def test_symbolic_links_out_of_the_root(tmp_path, root, capsys):
    (root / "link.png").symlink_to(tmp_path / "secret.png")
    (root / "inner.png").symlink_to(root / "0.png")
    images = {"imglist": [[1.0, "inner.png"], [1.0, "link.png"]], "path_root": root}
    iterator = mx.image.ImageIter(1, SIZE, **images)
    iterator.next()
    with pytest.raises(mx.MXNetError, match=r"link\.png.*leaves.*secret"):
        iterator.next()
    with pytest.raises(mx.MXNetError, match="leaves"):
        iterator.read_image("../secret.png")
    assert len(list(mx.image.ImageIter(1, SIZE, allow_outside_root=True, **images))) == 2
    (tmp_path / "a.lst").write_text("0\t0\tlink.png\n")
    assert main([str(tmp_path / "a"), str(root)]) == 1
    assert "--allow-outside-root" in capsys.readouterr().err
    assert main([str(tmp_path / "a"), str(root), "--allow-outside-root"]) == 0


def test_without_a_root_every_path_is_allowed(root):
    for given in (None, ""):
        images = [[1.0, str(root / "0.png")]]
        assert len(list(mx.image.ImageIter(1, SIZE, imglist=images, path_root=given))) == 1


def test_wrong_number_of_labels(root):
    iterator = mx.image.ImageIter(1, SIZE, imglist=[[[1.0, 2.0], "0.png"]], path_root=root)
    with pytest.raises(mx.MXNetError, match=r"0\.png has 2 numbers; expected label_width=1"):
        iterator.next()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_boxes_that_are_not_finite(root, number):
    with pytest.raises(mx.MXNetError, match=r"0\.png.*not finite"):
        mx.image.ImageDetIter(
            1, SIZE, imglist=[[[2, number, 0, 0.1, 0.1, 0.9, 0.9], "0.png"]], path_root=root
        )


@pytest.mark.parametrize("content", [b"short", recordio.pack((0, [1.0, 2.0], 5, 0), b"")[:-4]])
def test_damaged_records_are_named(tmp_path, content):
    index, record = tmp_path / "a.idx", tmp_path / "a.rec"
    with_key = recordio.MXIndexedRecordIO(index, record, "w")
    with_key.write_idx(5, content)
    with_key.close()
    with pytest.raises(mx.MXNetError, match=r"record 0 \(the first is 0\) of .*a\.rec"):
        mx.image.ImageIter(1, SIZE, path_imgrec=record).next()
    with pytest.raises(mx.MXNetError, match=r"key 5 of .*a\.rec"):
        mx.image.ImageIter(1, SIZE, path_imgrec=record, path_imgidx=index).next()
    with pytest.raises(mx.MXNetError, match=r"record 5 of .*a\.rec"):
        ImageRecordDataset(record)[0]


def test_records_without_a_line(tmp_path, root):
    index, record = tmp_path / "a.idx", tmp_path / "a.rec"
    file = recordio.MXIndexedRecordIO(index, record, "w")
    file.write_idx(5, recordio.pack((0, 1.0, 5, 0), PICTURE))
    file.close()
    (tmp_path / "a.lst").write_text("4\t1\t0.png\n")
    iterator = mx.image.ImageIter(
        1, SIZE, path_imgrec=record, path_imgidx=index, path_imglist=tmp_path / "a.lst"
    )
    with pytest.raises(mx.MXNetError, match=r"key 5 of .*a\.rec has no line"):
        iterator.next()
