"""Distributions for a package index: metadata, links, contents of sdists, and rejected wheels."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import opforge

ROOT = Path(__file__).resolve().parents[2]
URL = "https://example.org/acme/opforge"
TAG = f"{URL}/blob/v1"
NATIVE = sorted(ROOT.glob("plugins/*/setup.py"))
#: Other folders of a checkout.
_BESIDE = (".*", "build", "dist", "__pycache__", "*.egg-info", "*.so", "*.py[co]")


def load(name):
    spec = importlib.util.spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script():
    """Return the function that loads a script, which can import the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        yield load


@pytest.fixture
def copied(tmp_path):
    """Return a copy of all files that describe the distributions."""
    root = tmp_path / "opforge"
    for pattern in ("pyproject.toml", "README.md", "LICENSE", "setup.py"):
        for path in (*ROOT.glob(pattern), *ROOT.glob(f"plugins/*/{pattern}")):
            target = root / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    version = root / "core" / "opforge" / "base" / "version.py"
    version.parent.mkdir(parents=True)
    shutil.copy(ROOT / version.relative_to(root), version)
    return root


def projects(root):
    files = (root / "pyproject.toml", *sorted(root.glob("plugins/*/pyproject.toml")))
    texts = {file.parent.name: file.read_text(encoding="utf-8") for file in files}
    return {name: tomllib.loads(text)["project"] for name, text in texts.items()}


def test_the_version_is_the_same_everywhere(script):
    assert script("version").stated(ROOT) == opforge.__version__


@pytest.mark.parametrize(
    ("new", "least"), [("0.2.0", "0.2"), ("1.10.3", "1.10"), ("0.2.0rc1", "0.2.0rc1")]
)
def test_a_new_version_is_written_everywhere_and_required(script, copied, new, least):
    script("version").change(copied, "3.0.0b2")
    script("version").change(copied, new)
    assert script("version").stated(copied) == new
    for file in copied.glob("plugins/*/pyproject.toml"):
        required = re.findall(r'"opforge[^"]*>=([^"]*)"', file.read_text(encoding="utf-8"))
        assert set(required) == {least}


def test_files_with_differing_versions_are_named(script, copied):
    file = copied / "plugins" / "opforge-tile" / "pyproject.toml"
    file.write_text(file.read_text().replace(f'"{opforge.__version__}"', '"9.9.9"'))
    with pytest.raises(SystemExit, match=r"plugins/opforge-tile/pyproject\.toml: 9\.9\.9"):
        script("version").stated(copied)


@pytest.mark.parametrize("text", ["", "1", "v1.2.3", "1.2.3.4", "1.2.3-beta"])
def test_invalid_versions_are_rejected(script, copied, text):
    with pytest.raises(SystemExit, match="is not a version"):
        script("version").change(copied, text)
    assert script("version").stated(copied) == opforge.__version__


def test_each_distribution_has_complete_metadata(script, copied):
    script("release_metadata").complete(copied, URL)
    core, *plugins = projects(copied).values()
    shared = {text for text in core["classifiers"] if "Cython" not in text}
    for project in plugins:
        assert shared < set(project["classifiers"])
        assert project["license-files"] == ["LICENSE"]
        assert (copied / "plugins" / project["name"] / "LICENSE").is_file()
    for project in (core, *plugins):
        assert project["license"] == "Apache-2.0"
        assert set(project["urls"]) == {"Source", "Documentation", "Changelog", "Issues"}
        assert all(address.startswith(URL) for address in project["urls"].values())


def test_links_lead_to_files_of_the_release(script, copied):
    script("release_metadata").complete(copied, URL)
    found = set()
    for readme in copied.rglob("README.md"):
        targets = re.findall(r"\]\(([^)\s]+)\)", readme.read_text(encoding="utf-8"))
        assert all(target.startswith("https://") for target in targets), readme
        found |= {target for target in targets if target.startswith(URL)}
    start = re.compile(rf"{re.escape(URL)}/(blob|raw)/v{re.escape(opforge.__version__)}/")
    assert len(found) > 10
    assert all((ROOT / start.sub("", target)).is_file() for target in found)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("[a](b.md)", f"[a]({TAG}/plugins/x/b.md)"),
        ("[a](../../b.md#c), [d](e)", f"[a]({TAG}/b.md#c), [d]({TAG}/plugins/x/e)"),
        ("![a](b.png)", f"![a]({URL}/raw/v1/plugins/x/b.png)"),
        ("[a](https://b.org/c)", "[a](https://b.org/c)"),
        ("[a](#b)", "[a](#b)"),
        ("```python\nx[0](y)\n```\n[a](b)", f"```python\nx[0](y)\n```\n[a]({TAG}/plugins/x/b)"),
    ],
)
def test_links_between_files(script, text, made):
    assert script("release_metadata").absolute_links(text, "plugins/x", URL, "v1") == made


def test_without_an_address_links_are_text(script):
    plain = script("release_metadata").absolute_links
    assert plain("[a](b.md) and [c](https://d.org)", ".", "", "v1") == "a and [c](https://d.org)"


@pytest.mark.slow
def test_the_sdist_has_all_sources_and_nothing_that_was_made(tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_BESIDE))
    written = [*copy.rglob("*.pyx")]
    made = [path.with_suffix(end) for path in written for end in (".c", ".cpp")]
    for path in made:
        path.unlink(missing_ok=True)
    sources = {
        path.relative_to(copy).as_posix()
        for folder in ("core/opforge", "plugins", "tests")
        for path in (copy / folder).rglob("*")
        if path.suffix in {".py", ".pyx", ".pxd", ".h", ".hpp", ".toml"}
    }
    by_hand = [path for folder in ("plugins", "tests") for path in (copy / folder).rglob("*.c")]
    scripts = (copy / "findings").glob("*.sh")
    sources |= {path.relative_to(copy).as_posix() for path in (*by_hand, *scripts)}
    junk = {
        "core/opforge/native/loops/blas.cpp",
        "core/opforge/native/array/array.c",
        "core/opforge/native/array/array.so",
        "plugins/opforge-dense/build/lib/left.py",
        "plugins/opforge-dense/src/opforge_dense.egg-info/PKG-INFO",
        "plugins/opforge-dense/src/opforge_dense/__pycache__/left.pyc",
        "plugins/opforge-dense/.hypothesis/left",
    }
    for name in junk:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("")
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "sdist", "--dist-dir", str(tmp_path)],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert sources <= names
    assert not junk & names
    # Cython was not run for this, which takes a minute; the empty files are from above.
    assert [path for path in made if path.exists() and path.stat().st_size] == []


@pytest.mark.parametrize("setup", NATIVE, ids=lambda path: path.parent.name)
def test_a_wheel_has_no_sources_in_c(tmp_path, setup):
    """Setuptools packs everything in the sdist unless it is configured not to."""
    copy = tmp_path / setup.parent.name
    shutil.copytree(setup.parent, copy, ignore=shutil.ignore_patterns(*_BESIDE))
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path / "lib")],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    packed = [path for path in (tmp_path / "lib").rglob("*") if path.is_file()]
    assert {path.suffix for path in packed} == {".py", ".typed"}


@pytest.fixture
def wheel(tmp_path):
    """Return a function that creates a wheel of some files and metadata."""

    def make(name="acme-1.0-py3-none-any.whl", metadata="Classifier: A\n\n# acme", files=()):
        said = f"Metadata-Version: 2.4\nName: acme\nVersion: 1.0\n{metadata}"
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("acme-1.0.dist-info/METADATA", said)
            for file in ("acme-1.0.dist-info/licenses/LICENSE", *files):
                archive.writestr(file, "")
        return tmp_path / name

    return make


def test_a_good_wheel_has_no_problems(script, wheel):
    assert script("try_wheels").problems(wheel()) == []


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"name": "acme-1.0-cp311-cp311-linux_x86_64.whl"}, "repair it"),
        ({"metadata": "\n# acme"}, "no classifiers"),
        ({"metadata": "Classifier: A\n\n[core](../../README.md)"}, "relative links"),
        ({"files": ["acme/_native.pyx"]}, "build products or caches"),
        ({"files": ["acme/__pycache__/a.pyc"]}, "build products or caches"),
    ],
)
def test_a_wheel_with_a_problem_is_rejected(script, wheel, given, problem):
    (found,) = script("try_wheels").problems(wheel(**given))
    assert problem in found
    assert found.startswith("acme-1.0-")


def test_a_wheel_that_is_too_large_is_rejected(script, wheel, monkeypatch):
    module = script("try_wheels")
    monkeypatch.setattr(module, "MOST", 100)
    (found,) = module.problems(wheel())
    assert "expected at most 100" in found


def test_the_workflow_runs_existing_scripts():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    text += (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = set(re.findall(r"scripts/\w+\.py", text))
    assert {f"scripts/{name}.py" for name in ("sdists", "wheels", "try_wheels", "smoke")} <= named
    assert all((ROOT / name).is_file() for name in named)


def test_job_settings_do_not_use_the_runner_context():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = re.split(r"^  (?=\w+:$)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    names = [job.partition(":")[0] for job in jobs]
    assert names == ["sdists", "wheels", "try", "publish", "docs"]
    assert not [job for job in jobs if "runner." in job.partition("    steps:\n")[0]]


def test_cibuildwheel_builds_folders_of_the_checkout():
    """From an sdist it would see nothing else: no table, no wheels of the core, no smoke.py."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    (call,) = re.findall(r"^ +cibuildwheel ((?:.*\\\n)*.*)$", text, flags=re.MULTILINE)
    assert '"sources/$(basename "$sdist" .tar.gz)"' in call
    assert 'tar -xzf "$sdist" -C sources' in text
