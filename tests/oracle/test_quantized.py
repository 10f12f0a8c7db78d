"""The recorded results of opforge-quantization's tests are those of MXNet."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = json.loads(
    (ROOT / "plugins/opforge-quantization/tests/mxnet_results.json").read_text(encoding="utf-8")
)


def test_mxnet_computes_what_is_recorded(oracle):
    found = oracle("quantized", {"rows": ROWS})
    for row in ROWS:
        assert found[row["name"]] == row["outputs"], row["name"]


def test_mxnet_computes_what_is_recorded_of_a_network(oracle):
    folder = ROOT / "plugins/opforge-quantization/tests/mkldnn"
    recorded = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    found = oracle("quantized_network", {**recorded, "path": str(folder / "network")})
    assert found[: len(recorded["outputs"])] == recorded["outputs"]
