import pytest

from opforge.gluon.contrib.estimator.checkpoints import Checkpoints, Point


class Part:
    """Stands for a network and a trainer: writes its name, notes what it reads."""

    def __init__(self):
        self.read = []

    def save_states(self, path):
        with open(path, "w") as file:
            file.write("states")

    def save_parameters(self, path):
        with open(path, "w") as file:
            file.write("params")

    def load_states(self, path):
        with open(path) as file:
            self.read.append(file.read())

    def load_parameters(self, path, ctx):
        with open(path) as file:
            self.read.append((file.read(), ctx))


@pytest.fixture
def part():
    return Part()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_older_ones_are_removed_and_nothing_else(tmp_path, part):
    folder = tmp_path / "new" / "folder"
    found = Checkpoints(folder, "m", 2)
    found.save_as("best", part, part)
    (folder / "m-epoch1batch10.params").write_text("another training's")
    for epoch in range(4):
        assert found.save(Point(epoch, 1), part, part) == f"m-epoch{epoch}batch1"
    kept = [f"m-{n}" for n in ("best", "epoch2batch1", "epoch3batch1")]
    assert names(folder) == sorted(
        [f"{n}.{kind}" for n in kept for kind in ("params", "states")] + ["m-epoch1batch10.params"]
    )


def test_the_latest_is_found_by_its_numbers(tmp_path, part):
    before = Checkpoints(tmp_path, "m.x", 9)
    for point in (Point(9, 90), Point(10, 100), Point(2, 200)):
        before.save(point, part, part)
    for name in ("m.x-best.params", "m.x-epochXbatch1.params", "max-epoch99batch9.params"):
        (tmp_path / name).write_text("not one of them")
    found = Checkpoints(tmp_path, "m.x", 2)
    assert found.read() == Point(10, 100)
    found.load(Point(10, 100), part, part, "ctx")
    assert part.read == ["states", ("params", "ctx")]
    found.save(Point(11, 110), part, part)  # those of before count
    left = [name for name in names(tmp_path) if name.endswith(".states")]
    assert left == ["m.x-epoch10batch100.states", "m.x-epoch11batch110.states"]


def test_an_empty_folder_has_none(tmp_path):
    assert Checkpoints(tmp_path, "m", 2).read() is None


def test_without_states_nothing_is_loaded(tmp_path, part):
    (tmp_path / "m-epoch0batch1.params").write_text("alone")
    found = Checkpoints(tmp_path, "m", 2)
    with pytest.raises(FileNotFoundError, match=r"m-epoch0batch1\.states"):
        found.load(found.read(), part, part, None)
    assert part.read == []


def test_the_same_point_twice_is_one(tmp_path, part):
    found = Checkpoints(tmp_path, "m", 1)
    for _ in range(2):
        found.save(Point(0, 1), part, part)
    assert names(tmp_path) == ["m-epoch0batch1.params", "m-epoch0batch1.states"]
