"""Run of ONNX files by onnxruntime-web in a headless Chromium."""

import contextlib
import functools
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import tarfile
import tempfile
import threading
import urllib.parse
from pathlib import Path

import numpy as np

#: What npm downloads; this version reads files up to opset 26.
PACKAGE = "onnxruntime-web@1.30.0"
#: Names of Chromium, of which the first in PATH is used.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
#: Seconds without an output after which a network is given up.
PATIENCE = 300


@contextlib.contextmanager
def open_browser():
    """Download onnxruntime-web; yield a function of a file's path and calls, as `run` has them."""
    chromium, npm = find_program(*CHROMIUM), find_program("npm")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", PACKAGE, "--silent", "--pack-destination", folder]
        name = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        with tarfile.open(Path(folder, name)) as archive:
            archive.extractall(folder, filter="data")
        site = Path(folder, "package/dist")
        shutil.copy(Path(__file__).with_name("browser.html"), site)
        yield functools.partial(run, chromium, site)


def find_program(*names):
    """Return the path of a program with one of these names."""
    for path in map(shutil.which, names):
        if path is not None:
            return path
    raise SystemExit(f"--browser needs {' or '.join(names)} in PATH")


def run(chromium, site, path, calls):
    """Return the outputs of a file for each call, which has arrays by the names of inputs."""
    shutil.copy(path, site / "model.onnx")
    described = []
    for call, inputs in enumerate(calls):
        described.append([])
        for index, (name, array) in enumerate(inputs.items()):
            file = f"{call}-{index}"
            (site / file).write_bytes(array.tobytes())
            described[-1].append(
                {"name": name, "type": array.dtype.name, "shape": array.shape, "file": file}
            )
    (site / "calls.json").write_text(json.dumps(described))
    with Server(site) as server, open_page(chromium, server.server_port) as process:
        outputs = [[] for _ in calls]
        for call, array in server.posts(process):
            outputs[call].append(array)
    return outputs


@contextlib.contextmanager
def open_page(chromium, port):
    """Start Chromium with the page; yield its process, which ends with the context."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [chromium, "--headless", "--disable-gpu", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # the sandbox refuses to start as root
        command.append(f"http://127.0.0.1:{port}/browser.html")
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a group to end, as the program may be a script
        )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):  # it may have ended
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Server(http.server.ThreadingHTTPServer):
    """Server of a folder's files, to which the page posts the outputs."""

    def __init__(self, site):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=site))
        self.posted = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *exception):
        self.shutdown()
        super().__exit__(*exception)

    def posts(self, process):
        """Yield the number of a call and an output for each one, until the page has ended."""
        quiet = 0
        while quiet < PATIENCE:
            try:
                path, body = self.posted.get(timeout=1)
            except queue.Empty:
                quiet += 1
                if process.poll() is not None:
                    raise RuntimeError(f"Chromium ended with status {process.returncode}") from None
                continue
            quiet = 0
            url = urllib.parse.urlparse(path)
            if url.path == "/end":
                if body:
                    raise RuntimeError(f"onnxruntime-web: {body.decode()}")
                return
            query = dict(urllib.parse.parse_qsl(url.query))
            yield (
                int(query["call"]),
                np.frombuffer(body, query["type"]).reshape(json.loads(query["shape"])),
            )
        raise TimeoutError(f"the page posted nothing for {PATIENCE} seconds")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Handler that passes on what is posted."""

    def do_POST(self):
        """Keep the path and the body."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.put((self.path, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        """Print nothing."""
