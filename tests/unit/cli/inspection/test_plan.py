"""Tests of the changes that a wheel would make; the wheels are generated and contain no code."""

import zipfile

import pytest

from opforge.base.errors import PluginError
from opforge.cli.inspection.plan import plan_wheels


@pytest.fixture
def wheel(tmp_path):
    """Return a function that writes a wheel with the given entry points and requirements."""

    def write(name, points, version="2.0", requires=()):
        path = tmp_path / f"{name}-{version}-py3-none-any.whl"
        lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {r}" for r in requires)]
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{name}.py", "raise SystemExit('this ran')")
            info = f"{name}-{version}.dist-info"
            archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\n" + "\n".join(lines))
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr(f"{info}/entry_points.txt", points)
            archive.writestr(f"{info}/RECORD", f"{name}.py,sha256=abc,3\n")
        return str(path)

    return write


POINTS = """\
[opforge]
new = fx_new
[opforge.ops]
fx_scale = fx_new:Scale
fx_new = fx_new:New
exp = fx_new:Exp
[opforge.layers]
FxLayer = fx_new:Layer
"""


def names(items):
    return [(item["kind"], item["name"]) for item in items]


def test_adds_shadows_and_makes_ambiguous(with_plugins, wheel):
    with_plugins("fx-good")
    requires = ["opforge<0.1", "numpy<1", 'scipy; extra == "all"', "packaging"]
    (row,) = plan_wheels([wheel("fx_new", POINTS, requires=requires)])
    assert (row["plugin"], row["installed"], row["refused"]) == ("fx_new", "", "")
    assert names(row["adds"]) == [
        ("operator", "exp"),
        ("operator", "fx_new"),
        ("operator", "fx_scale"),
        ("layer", "FxLayer"),
    ]
    assert names(row["shadowed"]) == [("operator", "exp")]
    assert names(row["ambiguous"]) == [("operator", "fx_scale"), ("layer", "FxLayer")]
    assert row["ambiguous"][0]["with"] == ["fx-good"]
    assert row["requires"] == ["opforge<0.1", "numpy<1"]
    assert [unmet["remedy"] for unmet in row["unmet"]] == [
        "pip install -U fx_new",
        "pip install 'numpy<1'",
    ]
    assert row["record"].startswith("sha256:")


def test_another_version_of_an_installed_plugin(with_plugins, wheel):
    with_plugins("fx-good")
    points = "[opforge]\ngood = fx_good\n[opforge.ops]\nfx_scale = fx_good:Scale\n"
    (row,) = plan_wheels([wheel("fx_good", points)])
    assert row["installed"] == "1.0"
    assert (row["adds"], row["ambiguous"]) == ([], [])
    assert ("operator", "fx_shift") in names(row["removes"])


def test_a_pin_settles_it_and_a_switch_leaves_it_out(with_plugins, wheel, monkeypatch):
    with_plugins("fx-good")
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-good,FxLayer=fx-good")
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fx-new")
    (row,) = plan_wheels([wheel("fx_new", POINTS)])
    assert row["ambiguous"] == []
    assert row["refused"] == "disabled by OPFORGE_PLUGINS=-fx-new"


def test_other_files_are_not_wheels(tmp_path):
    (tmp_path / "a.whl").write_text("no archive")
    with pytest.raises(PluginError, match="is not a wheel"):
        plan_wheels([str(tmp_path / "a.whl")])


def test_names_are_fetched_by_pip(with_plugins, wheel, monkeypatch, tmp_path):
    with_plugins()
    wheel("fx_new", POINTS)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (row,) = plan_wheels(["fx-new>=1"])
    assert (row["plugin"], row["version"]) == ("fx_new", "2.0")
    with pytest.raises(PluginError, match="pip found no wheel for 'fx-none'"):
        plan_wheels(["fx-none"])


@pytest.mark.parametrize("target", ["project", "./project", "a @ file:///x", "x.tar.gz", "-r x"])
def test_nothing_is_built_to_be_read(with_plugins, monkeypatch, tmp_path, target):
    with_plugins()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "setup.py").write_text("open('ran', 'w')")
    (tmp_path / "x.tar.gz").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PluginError, match=r"neither a wheel nor the name|found no wheel"):
        plan_wheels([target])
    assert not list(tmp_path.rglob("ran"))


def test_commands(with_plugins, wheel):
    with_plugins("fx-commands")
    points = (
        "[opforge.commands]\nfx-greet = fx_new:greet\nfx-other = fx_new:other\nops = fx_new:o\n"
    )
    (row,) = plan_wheels([wheel("fx_new", points)])
    assert names(row["adds"]) == [("command", name) for name in ("fx-greet", "fx-other", "ops")]
    assert names(row["shadowed"]) == [("command", "ops")]
    assert [(item["name"], item["with"]) for item in row["ambiguous"]] == [
        ("fx-greet", ["fx-commands"])
    ]
