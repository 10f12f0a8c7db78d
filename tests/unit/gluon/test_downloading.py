import builtins
import hashlib
import http.server
import threading
import time

import pytest

from opforge.base.errors import OpforgeError
from opforge.gluon.downloading import check_sha1, fetch

CONTENT = b"pixels" * 50_000
DIGEST = hashlib.sha1(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.send_response({"/gone": 404, "/broken": 503}.get(self.path, 200))
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:1000] if self.path == "/cut" else CONTENT)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def url(server, path):
    return f"http://127.0.0.1:{server.server_port}{path}"


def test_download_to_a_new_folder(server, tmp_path, capsys):
    target = tmp_path / "new" / "file"
    assert fetch(url(server, "/file"), target, DIGEST) == target
    assert target.read_bytes() == CONTENT
    assert check_sha1(target, DIGEST.upper())
    assert not check_sha1(target, "0" * 40)
    assert [entry.name for entry in target.parent.iterdir()] == ["file"]
    assert "file" in capsys.readouterr().err


def test_without_tqdm(server, tmp_path, monkeypatch, capsys):
    real_import = builtins.__import__

    def without_tqdm(name, *args, **kwargs):
        if name == "tqdm":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_tqdm)
    fetch(url(server, "/file"), tmp_path / "file")
    assert capsys.readouterr().err.splitlines() == [
        "downloading file ...",
        "downloaded file (300000 bytes)",
    ]


@pytest.mark.parametrize(
    ("path", "digest", "tries", "message"),
    [
        ("/gone", None, 1, "404"),
        ("/broken", None, 2, "503"),
        ("/cut", None, 2, "closed after 1000 bytes|IncompleteRead"),
        ("/file", "0" * 40, 2, f"SHA-1 is {DIGEST}, expected 000"),
    ],
)
def test_a_failure_says_where_to_put_the_file(server, tmp_path, path, digest, tries, message):
    target = tmp_path / "data"
    with pytest.raises(OpforgeError, match=message) as caught:
        fetch(url(server, path), target, digest, retries=2)
    assert f"into {tmp_path} as data" in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    assert len(server.asked) == tries


def test_no_network(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(OpforgeError, match="Without a network"):
        fetch("http://127.0.0.1:9/file", tmp_path / "file")


def test_a_folder_is_an_address_too(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it tried again"))
    (tmp_path / "source").write_bytes(CONTENT)
    fetch((tmp_path / "source").as_uri(), tmp_path / "copy", DIGEST, verify_ssl=False)
    assert (tmp_path / "copy").read_bytes() == CONTENT
    with pytest.raises(OpforgeError, match=r"no-such-file.*as copy, or ask a friend"):
        advice = ", or ask a friend"
        fetch((tmp_path / "no-such-file").as_uri(), tmp_path / "copy", advice=advice)
    assert (tmp_path / "copy").read_bytes() == CONTENT
