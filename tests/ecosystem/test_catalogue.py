"""The catalogue of real wheels, built by the command line, in a real browser.

The browser is Debian's chromium (or Chrome), headless, driven by the page's URL: the search text
follows ``?``, the shown entry ``#``. A screenshot is kept with pytest's other files for inspection.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), "")
HOSTILE = "<img src=x onerror=document.title='owned'>"
#: Types a text into the search box; the page allows no script but its own.
TYPING = """
box.value = "LAYERNORM eps operator";
box.dispatchEvent(new Event("input"));
"""
#: Keys to press then: Enter, or down into the list and Enter there, which clicks.
ENTER = """
box.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
"""
ARROWS = """
for (const key of ["ArrowDown", "ArrowUp", "ArrowDown"]) {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
}
document.activeElement.click();
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory, wheels, stranger, authors):
    """The catalogue of the first-party plugins and of a hostile third-party one."""
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")
    folder = tmp_path_factory.mktemp("catalogue")
    (folder / "wheels").mkdir()
    evil = stranger("acme-evil", "acme_evil", first=f"import os\nos._exit(3)\nX = '''{HOSTILE}'''")
    for wheel in (*wheels.values(), evil):
        shutil.copy(wheel, folder / "wheels")
    reports = folder / "reports"
    reports.mkdir()
    checks = [{"check": "gradients", "status": "passed", "message": HOSTILE}]
    report = {"subject": "LayerNorm", "provider": "opforge-normalization 0.1.0", "checks": checks}
    (reports / "a.json").write_text(json.dumps({"reports": [report]}))
    # With opforge-tools from its wheel, which must contain the template.
    authors.run(
        "opforge", "catalogue", "build", folder / "site", folder / "wheels", "--reports", reports
    )
    return folder / "site"


def test_nothing_of_the_wheels_ran_and_all_is_indexed(site):
    index = json.loads((site / "index.json").read_text())
    assert index["operators"]["acme_evil"] == [{"distribution": "acme-evil", "version": "1.0"}]
    assert index["operators"]["softmax"][0]["distribution"] == "opforge-softmax"
    assert index["layers"]["Dense"][0]["distribution"] == "opforge-dense"
    page = (site / "index.html").read_text()
    assert 'id="operator/opforge-softmax/softmax"' in page
    assert HOSTILE not in page


def test_the_index_feeds_the_hint(site, bare):
    settings = {"OPFORGE_CATALOGUE": str(site / "index.json")}
    hint = bare.run("opforge", "ops", "show", "acme_evil", code=1, **settings).stderr
    assert "acme-evil provides it: pip install acme-evil" in hint


needs_browser = pytest.mark.skipif(
    not BROWSER, reason="no chromium or Chrome is installed: apt-get install chromium"
)


def browse(folder: Path, address: str, *options: str) -> str:
    done = subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder / 'profile'}",
            *options,
            address,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def shown(dom: str, tag: str) -> list[str]:
    """Return the elements of a kind that exist and are not hidden."""
    parts = dom.split(f"<{tag} ")[1:]
    return [part for part in parts if 'hidden=""' not in part.partition(">")[0]]


@needs_browser
def test_search_finds_an_operator_and_its_page_shows_its_attributes(site, tmp_path):
    address = f"{(site / 'index.html').as_uri()}?q=softmax+TEMPER#operator/opforge-softmax/softmax"
    dom = browse(tmp_path, address, "--dump-dom")
    names = [part.partition("<b>")[2].partition("</b>")[0] for part in shown(dom, "li")]
    assert names[0] == "softmax", "the name that was typed goes before those that contain it"
    assert sorted(names) == ["log_softmax", "softmax", "softmin"]
    whole = (site / "index.html").read_text()
    assert f">3 of {whole.count('<li ')}<" in dom
    (article,) = shown(dom, "article")
    for part in ("<code>axis</code>", "<code>temperature</code>", "temperature &gt; 0"):
        assert part in article
    assert dom.count('class="chosen"') == 1
    picture = tmp_path / "catalogue.png"
    browse(tmp_path, address, f"--screenshot={picture}", "--window-size=1200,900")
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) > 20_000, "the screenshot is blank"


@needs_browser
@pytest.mark.parametrize("keys", [ENTER, ARROWS], ids=["enter", "arrows"])
def test_the_keyboard_opens_the_first_that_is_found(site, tmp_path, keys):
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    with (copy / "catalogue.js").open("a") as file:
        file.write(TYPING + keys)
    # Time for the page to receive its new address.
    options = ("--virtual-time-budget=2000", "--dump-dom")
    dom = browse(tmp_path, (copy / "index.html").as_uri(), *options)
    (article,) = shown(dom, "article")
    assert article.startswith('id="operator/opforge-normalization/LayerNorm"')
    assert "<code>eps</code>" in article
    assert "1 passed" in article


@needs_browser
def test_on_a_phone_typing_goes_back_to_the_list(site, tmp_path):
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    with (copy / "catalogue.js").open("a") as file:
        file.write(TYPING)
    address = f"{(copy / 'index.html').as_uri()}#operator/opforge-softmax/softmax"
    options = ("--virtual-time-budget=2000", "--window-size=400,800", "--dump-dom")
    dom = browse(tmp_path, address, *options)
    assert shown(dom, "article") == []
    assert len(shown(dom, "li")) == 1


@needs_browser
def test_hostile_texts_are_shown_and_not_obeyed(site, tmp_path):
    address = f"{(site / 'index.html').as_uri()}?q={HOSTILE}#operator/acme-evil/acme_evil"
    dom = browse(tmp_path, address, "--dump-dom")
    assert "<title>Operators and layers</title>" in dom
    assert "<img" not in dom
    assert shown(dom, "li") == []
