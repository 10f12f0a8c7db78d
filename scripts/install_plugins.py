"""Build plugins as a release would, sdist first and the wheel from it, and install the wheels.

    python scripts/install_plugins.py [FOLDER ...]

Without folders every plugin under plugins/ is installed. With folders only these are, and other
plugins only as far as these or their tests require them. Needs `build` and `setuptools` in this
environment.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def python(*arguments: str) -> None:
    """Run a module of this environment; raise when it fails."""
    subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True)


def build(folder: Path, dist: Path) -> Path:
    """Return the wheel of the distribution in `folder`, built from its sdist."""
    before = set(dist.glob("*.whl"))
    python("build", "--no-isolation", "--outdir", str(dist), str(folder))
    (wheel,) = set(dist.glob("*.whl")) - before
    return wheel


def main(dist: Path) -> None:
    """Build all plugins into `dist` and install the wanted ones."""
    folders = sorted(p.parent for p in ROOT.glob("plugins/*/pyproject.toml"))
    wheels = {folder: build(folder, dist) for folder in folders}
    wanted = [Path(p).resolve() for p in sys.argv[1:]] or folders
    chosen = [str(wheels[folder]) for folder in wanted]
    python("pip", "install", "--force-reinstall", "--no-deps", *chosen)
    # An extra named "test" holds what only the plugin's own tests need, other plugins included.
    python("pip", "install", "--find-links", str(dist), *[f"{wheel}[test]" for wheel in chosen])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
