"""The recorded symbols and results of opforge-numpy's tests are those of MXNet."""

import json
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ROWS = json.loads(
    (ROOT / "plugins/opforge-numpy/tests/mxnet_nodes.json").read_text(encoding="utf-8")
)
#: Rows whose shapes depend on elements, which MXNet's executors show as empty.
DYNAMIC = {
    *("bincount", "bincount_w", "nonzero", "unique", "unique_counts"),
    *("delete", "delete_slice", "delete_tensor"),
}


def test_mxnet_computes_what_is_recorded(oracle):
    rows = [row for row in ROWS if row["name"] not in DYNAMIC]
    found = oracle("np_nodes", {"rows": rows})
    for row in rows:
        for actual, recorded in zip(found[row["name"]], row["outputs"], strict=True):
            assert actual[:2] == recorded[:2], row["name"]
            if recorded[2]:
                np.testing.assert_allclose(
                    actual[2], recorded[2], rtol=1e-5, atol=1e-6, err_msg=row["name"]
                )
