"""Tests of `im2rec`: lists of folders and record files of lists, as created by MXNet's tool."""

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from opforge_image.im2rec import main
from opforge_image.recordio import MXIndexedRecordIO, unpack, unpack_img


def make_image(number: int, height: int = 6, width: int = 10) -> np.ndarray:
    """Return an image, blue first, whose columns differ."""
    made = np.full((height, width, 3), number, np.uint8)
    made[..., 1] = np.arange(width)
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with five images in two subfolders and one next to them."""
    names = ["b/1.png", "b/2.PNG", "a/3.png", "a/4.png", "a/5.png", "0.png"]
    for i, name in enumerate(names):
        path = tmp_path / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(cv2.imencode(".png", make_image(i))[1].tobytes())
    (tmp_path / "images" / "notes.txt").touch()
    return tmp_path / "images"


def run(*arguments: object) -> None:
    """Run the command and expect success."""
    assert main([str(argument) for argument in arguments]) == 0


def records(prefix: Path) -> dict[int, bytes]:
    """Return the records of a file by key."""
    reader = MXIndexedRecordIO(f"{prefix}.idx", f"{prefix}.rec", "r")
    return {key: reader.read_idx(key) for key in reader.keys}


def test_list_of_one_folder(root: Path, tmp_path: Path) -> None:
    run("--list", tmp_path / "x", root)
    assert (tmp_path / "x.lst").read_text() == "0\t0.000000\t0.png\n"


def test_folders_are_labels(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    run("--list", "--recursive", "--no-shuffle", tmp_path / "x", root)
    names = ["0.png", "a/3.png", "a/4.png", "a/5.png", "b/1.png", "b/2.PNG"]
    labels = [0, 1, 1, 1, 2, 2]
    lines = [f"{i}\t{labels[i]:f}\t{name}\n" for i, name in enumerate(names)]
    assert (tmp_path / "x.lst").read_text() == "".join(lines)
    assert capsys.readouterr().out.splitlines()[:3] == [". 0", "a 1", "b 2"]


def test_lists_are_shuffled_as_by_mxnet(root: Path, tmp_path: Path) -> None:
    run("--list", "--recursive", tmp_path / "x", root)
    numbers = [int(line.split("\t")[0]) for line in (tmp_path / "x.lst").read_text().splitlines()]
    assert numbers == [2, 5, 0, 4, 3, 1]


def test_shares_and_chunks_hold_each_image_once(root: Path, tmp_path: Path) -> None:
    run("--list", "--recursive", "--train-ratio", 0.5, "--test-ratio", 0.2, tmp_path / "x", root)
    shares = {
        name: (tmp_path / f"x_{name}.lst").read_text().splitlines()
        for name in ("test", "train", "val")
    }
    assert {name: len(lines) for name, lines in shares.items()} == {"test": 1, "train": 3, "val": 2}
    assert len({line for lines in shares.values() for line in lines}) == 6
    run("--list", "--recursive", "--chunks", 2, tmp_path / "y", root)
    parts = [(tmp_path / f"y_{i}.lst").read_text().splitlines() for i in range(2)]
    assert sorted(shares["test"] + shares["train"] + shares["val"]) == sorted(parts[0] + parts[1])


@pytest.mark.parametrize("threads", [1, 3])
def test_records_follow_the_list(root: Path, tmp_path: Path, threads: int) -> None:
    run("--list", "--recursive", tmp_path / "x", root)
    run("--num-thread", threads, "--encoding", ".png", "--quality", 3, tmp_path / "x", root)
    lines = [line.split("\t") for line in (tmp_path / "x.lst").read_text().splitlines()]
    found = records(tmp_path / "x")
    assert list(found) == [int(line[0]) for line in lines]
    for number, label, name in lines:
        header, image = unpack_img(found[int(number)])
        assert (header.label, header.id) == (float(label), int(number))
        assert np.array_equal(
            image, make_image(["b/1", "b/2", "a/3", "a/4", "a/5", "0"].index(name[:-4]))
        )


def one(root: Path, prefix: Path, *options: object, labels: str = "7") -> bytes:
    """Return the record of one image, packed with `options`."""
    prefix.with_suffix(".lst").write_text(f"4\t{labels}\t0.png\n")
    run(*options, prefix, root)
    return records(prefix)[4]


def test_images_are_cropped_and_resized(root: Path, tmp_path: Path) -> None:
    png = ("--encoding", ".png", "--quality", 1)
    cut = unpack_img(one(root, tmp_path / "x", "--center-crop", *png))[1]
    assert np.array_equal(cut, make_image(5)[:, 2:8])
    resized = unpack_img(one(root, tmp_path / "x", "--resize", 3, *png))[1]
    assert np.array_equal(resized, cv2.resize(make_image(5), (5, 3)))
    assert unpack_img(one(root, tmp_path / "x", "--color", 0, *png))[1].ndim == 2


def test_files_pass_through(root: Path, tmp_path: Path) -> None:
    content = unpack(one(root, tmp_path / "x", "--pass-through"))[1]
    assert content == (root / "0.png").read_bytes()


def test_one_label_or_all(root: Path, tmp_path: Path) -> None:
    assert unpack(one(root, tmp_path / "x", labels="7\t8.5"))[0].label == 7
    packed = unpack(one(root, tmp_path / "x", "--pack-label", labels="7\t8.5"))[0]
    assert packed.label.tolist() == [7, 8.5]


def test_files_that_are_not_images_are_skipped(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    (root / "bad.png").write_bytes(b"no image")
    (tmp_path / "x.lst").write_text("0\t0\tbad.png\n1\t0\tnone.png\n2\t0\t0.png\n")
    run(tmp_path / "x", root)
    assert list(records(tmp_path / "x")) == [2]
    said = capsys.readouterr()
    assert "skipped: bad.png" in said.err and "skipped: none.png" in said.err
    assert "1 images, 2 skipped" in said.out


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "a/../../secret.png"])
def test_paths_that_leave_the_folder_are_rejected(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture, name: str
) -> None:
    (tmp_path / "x.lst").write_text(f"0\t0\t0.png\n1\t0\t{name}\n")
    assert main([str(tmp_path / "x"), str(root), "--pass-through"]) == 1
    assert "leaves the folder" in capsys.readouterr().err
    assert not (tmp_path / "x.rec").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--list", "x", "none"], "is not a folder"),
        (
            ["--list", "--exts", ".gif", "--", "x", "images"],
            "has no files whose names end with .gif",
        ),
        (["--list", "--train-ratio", "0.8", "--test-ratio", "0.8", "x", "images"], "at most 1"),
        (["--list", "--chunks", "0", "x", "images"], "at least one list"),
        (["y", "images"], "found; create one with"),
        (["broken", "images"], "line 1 of"),
    ],
)
def test_errors_are_reported(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.lst").write_text("no list\n")
    assert main(arguments) == 1
    assert message in capsys.readouterr().err


def test_module_is_executable(root: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "opforge_image.im2rec",
        "--list",
        str(tmp_path / "x"),
        str(root),
    ]
    subprocess.run(command, check=True, timeout=300)
    assert (tmp_path / "x.lst").exists()
