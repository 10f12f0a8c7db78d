"""The command line as a new user runs it, in separate environments."""

import json
import resource
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

NAMES = {
    "opforge-attention": {
        "_contrib_interleaved_matmul_encdec_qk",
        "_contrib_interleaved_matmul_encdec_valatt",
        "_contrib_interleaved_matmul_selfatt_qk",
        "_contrib_interleaved_matmul_selfatt_valatt",
        "scaled_dot_product_attention",
    },
    "opforge-contrib": {
        "IdentityAttachKLSparseReg",
        "SVMOutput",
        "_contrib_count_sketch",
        "_contrib_dgl_adjacency",
        "_contrib_dgl_csr_neighbor_non_uniform_sample",
        "_contrib_dgl_csr_neighbor_uniform_sample",
        "_contrib_dgl_graph_compact",
        "_contrib_dgl_subgraph",
        "_contrib_edge_id",
        "_contrib_fft",
        "_contrib_hawkesll",
        "_contrib_ifft",
        "cumsum",
        "khatri_rao",
        "moments",
        "random_pdf_dirichlet",
        "random_pdf_exponential",
        "random_pdf_gamma",
        "random_pdf_generalized_negative_binomial",
        "random_pdf_negative_binomial",
        "random_pdf_normal",
        "random_pdf_poisson",
        "random_pdf_uniform",
        "ravel_multi_index",
        "unravel_index",
    },
    "opforge-convolution": {
        "Convolution",
        "Convolution_v1",
        "Deconvolution",
        "_contrib_DeformableConvolution",
        "_contrib_ModulatedDeformableConvolution",
        "col2im",
        "im2col",
    },
    "opforge-dense": {"dense"},
    "opforge-embedding": {"Embedding", "_contrib_SparseEmbedding"},
    "opforge-detection": {
        "Correlation",
        "ROIPooling",
        "_contrib_DeformablePSROIPooling",
        "_contrib_MultiBoxDetection",
        "_contrib_MultiBoxPrior",
        "_contrib_MultiBoxTarget",
        "_contrib_MultiProposal",
        "_contrib_PSROIPooling",
        "_contrib_Proposal",
        "_contrib_ROIAlign",
        "_contrib_RROIAlign",
        "_contrib_bipartite_matching",
        "_contrib_box_decode",
        "_contrib_box_encode",
        "_contrib_box_iou",
        "_contrib_box_nms",
        "_contrib_box_non_maximum_suppression",
    },
    "opforge-dropout": {"Dropout"},
    "opforge-estimator": set(),
    "opforge-image": {
        "_image_adjust_lighting",
        "_image_crop",
        "_image_flip_left_right",
        "_image_flip_top_bottom",
        "_image_normalize",
        "_image_random_brightness",
        "_image_random_color_jitter",
        "_image_random_contrast",
        "_image_random_flip_left_right",
        "_image_random_flip_top_bottom",
        "_image_random_hue",
        "_image_random_lighting",
        "_image_random_saturation",
        "_image_resize",
        "_image_to_tensor",
    },
    "opforge-linalg": {
        "_linalg_det",
        "_linalg_extractdiag",
        "_linalg_extracttrian",
        "_linalg_gelqf",
        "_linalg_gemm",
        "_linalg_gemm2",
        "_linalg_inverse",
        "_linalg_makediag",
        "_linalg_maketrian",
        "_linalg_potrf",
        "_linalg_potri",
        "_linalg_slogdet",
        "_linalg_sumlogdiag",
        "_linalg_syevd",
        "_linalg_syrk",
        "_linalg_trmm",
        "_linalg_trsm",
        "linalg_det",
        "linalg_extractdiag",
        "linalg_extracttrian",
        "linalg_gelqf",
        "linalg_gemm",
        "linalg_gemm2",
        "linalg_inverse",
        "linalg_makediag",
        "linalg_maketrian",
        "linalg_potrf",
        "linalg_potri",
        "linalg_slogdet",
        "linalg_sumlogdiag",
        "linalg_syevd",
        "linalg_syrk",
        "linalg_trmm",
        "linalg_trsm",
    },
    "opforge-models": set(),
    "opforge-mpi": set(),
    "opforge-mxnet": set(),
    "opforge-numpy": set(),
    "opforge-normalization": {
        "BatchNorm",
        "BatchNorm_v1",
        "GroupNorm",
        "InstanceNorm",
        "L2Normalization",
        "LRN",
        "LayerNorm",
        "_contrib_BatchNormWithReLU",
        "_contrib_SyncBatchNorm",
        "center",
        "min_max_norm",
    },
    "opforge-optimizers": {
        "_contrib_group_adagrad_update",
        "_sparse_adagrad_update",
        "adam_update",
        "ftml_update",
        "ftrl_update",
        "lamb_update_phase1",
        "lamb_update_phase2",
        "mp_lamb_update_phase1",
        "mp_lamb_update_phase2",
        "mp_nag_mom_update",
        "mp_sgd_mom_update",
        "mp_sgd_update",
        "multi_lars",
        "multi_mp_sgd_mom_update",
        "multi_mp_sgd_update",
        "multi_sgd_mom_update",
        "multi_sgd_update",
        "nag_mom_update",
        "preloaded_multi_mp_sgd_mom_update",
        "preloaded_multi_mp_sgd_update",
        "preloaded_multi_sgd_mom_update",
        "preloaded_multi_sgd_update",
        "rmsprop_update",
        "rmspropalex_update",
        "sgd_mom_update",
        "sgd_update",
        "signsgd_update",
        "signum_update",
    },
    "opforge-pooling": {"Pooling", "Pooling_v1", "_contrib_AdaptiveAvgPooling2D"},
    "opforge-quantization": {
        "_contrib_calibrate_entropy",
        "_contrib_dequantize",
        "_contrib_quantize",
        "_contrib_quantize_asym",
        "_contrib_quantize_v2",
        "_contrib_quantized_act",
        "_contrib_quantized_batch_norm",
        "_contrib_quantized_concat",
        "_contrib_quantized_conv",
        "_contrib_quantized_elemwise_add",
        "_contrib_quantized_elemwise_mul",
        "_contrib_quantized_embedding",
        "_contrib_quantized_flatten",
        "_contrib_quantized_fully_connected",
        "_contrib_quantized_pooling",
        "_contrib_quantized_rnn",
        "_contrib_requantize",
    },
    "opforge-rectifier": {"LeakyReLU"},
    "opforge-recurrent": {"RNN"},
    "opforge-regression": {
        "LinearRegressionOutput",
        "LogisticRegressionOutput",
        "MAERegressionOutput",
        "MakeLoss",
    },
    "opforge-resize": {
        "BilinearSampler",
        "Crop",
        "GridGenerator",
        "Pad",
        "SpatialTransformer",
        "UpSampling",
        "_contrib_BilinearResize2D",
        "depth_to_space",
        "pad",
        "space_to_depth",
    },
    "opforge-sequence": {
        "CTCLoss",
        "SequenceLast",
        "SequenceMask",
        "SequenceReverse",
        "_contrib_CTCLoss",
        "_contrib_arange_like",
        "_contrib_boolean_mask",
        "_contrib_ctc_loss",
        "_contrib_div_sqrt_dim",
        "_contrib_index_array",
        "_contrib_index_copy",
        "ctc_loss",
    },
    "opforge-onnx": set(),
    "opforge-sklearn": set(),
    "opforge-torch": set(),
    "opforge-sigmoid": {"Activation", "hard_sigmoid", "relu", "sigmoid", "softrelu", "softsign"},
    "opforge-softmax": {
        "Softmax",
        "SoftmaxActivation",
        "SoftmaxOutput",
        "log_softmax",
        "softmax",
        "softmax_cross_entropy",
        "softmin",
    },
    "opforge-tile": {"repeat", "tile"},
    "opforge-tools": set(),
}
#: Runs the command line and then fails if a plugin was imported.
WATCHED = """
import sys
from opforge.cli import main
sys.argv = ["opforge", *{arguments!r}]
try:
    main()
finally:
    guilty = [n for n in sys.modules if n.startswith(("opforge_", "acme_")) or n == "pluggy"]
    if guilty:
        print("IMPORTED", guilty)
"""


def read(environment, *arguments):
    return json.loads(environment.run("opforge", *arguments, "--json").stdout)


def test_no_plugins(bare):
    text = bare.run("opforge", "ops").stdout
    assert text.startswith("opforge ")
    assert "\nOperators (" in text
    assert "pip install 'opforge[std]'" in text
    assert {row["plugin"] for row in read(bare, "ops")} == {"opforge"}
    assert "pip install 'opforge[std]'" in bare.run("opforge", "plugins").stdout
    assert read(bare, "plugins") == []
    missing = bare.run("opforge", "ops", "show", "softmax", code=1)
    assert missing.stdout == ""
    assert "opforge-softmax provides it: pip install opforge-softmax" in missing.stderr
    assert "Traceback" not in missing.stderr
    new = bare.run("opforge", "new", "acme", code=1)
    assert new.stderr.endswith("opforge-tools provides it: pip install opforge-tools\n")


def test_ops(full):
    rows = read(full, "ops")
    found = {}
    for row in rows:
        if row["kind"] == "operator" and row["plugin"] != "opforge":
            found.setdefault(row["plugin"], set()).add(row["name"])
    assert found == {plugin: names for plugin, names in NAMES.items() if names}
    softmax = next(row for row in rows if row["name"] == "softmax")
    assert softmax == {
        "name": "softmax",
        "kind": "operator",
        "arguments": ["data", "length"],
        "outputs": ["output"],
        "plugin": "opforge-softmax",
        "version": "0.1.0",
        "state": "not loaded",
        "doc": "Normalize the elements along `axis` so that they are positive and sum to 1.",
    }
    assert all(row["doc"] and row["version"] for row in rows)
    assert all(row["outputs"] for row in rows if row["kind"] == "operator")


def test_ops_in_a_pipe_has_one_line_for_each(full):
    lines = full.run("opforge", "ops").stdout.splitlines()
    assert not [line for line in lines if line != line.rstrip()]
    (softmax,) = [line for line in lines if line.startswith("softmax ")]
    columns = ["softmax", "data,", "length", "output", "opforge-softmax", "0.1.0"]
    assert softmax.split()[:6] == columns
    assert softmax.endswith(
        "Normalize the elements along `axis` so that they are positive and sum to 1."
    )


@pytest.mark.parametrize("width", [80, 120])
def test_width_of_a_terminal_is_kept(full, width):
    for command in (["ops"], ["ops", "show", "BatchNorm"], ["plugins"]):
        text = full.run("opforge", *command, COLUMNS=str(width)).stdout
        # A path is never wrapped, so that it can be copied.
        lines = [line for line in text.splitlines() if not line.startswith("file ")]
        assert max(map(len, lines)) <= width, command
        assert "…" not in text, f"{command}: something is cut off"
    assert "opforge-softmax 0.1.0 (7)" in full.run("opforge", "ops", COLUMNS=str(width)).stdout


def test_show(full):
    text = full.run("opforge", "ops", "show", "softmax").stdout
    for part in (
        "softmax  operator",
        "opforge-softmax 0.1.0 (not loaded)",
        "opforge_softmax.operators:Softmax",
        "int, optional, default='-1'",
    ):
        assert part in text
    row = read(full, "ops", "show", "softmax")
    path, _, line = row["file"].rpartition(":")
    assert Path(path).read_text().splitlines()[int(line) - 1].startswith("class Softmax")
    close = full.run("opforge", "ops", "show", "sofmax", code=1)
    assert "similar names: softmax, " in close.stderr


def test_plugins(full):
    rows = read(full, "plugins")
    assert {row["plugin"] for row in rows} == set(NAMES)
    assert {row["state"] for row in rows} == {"not loaded"}
    assert [row["problems"] for row in rows] == [[]] * len(NAMES)
    checked = read(full, "plugins", "--check")
    assert {row["state"] for row in checked} == {"loaded"}
    assert [row["problems"] for row in checked] == [[]] * len(NAMES)


@pytest.mark.parametrize("arguments", [["ops"], ["ops", "show", "acme_break"], ["plugins"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_listing_imports_no_plugin(crowded, arguments, form):
    source = WATCHED.format(arguments=[*arguments, *form])
    assert "IMPORTED" not in crowded.python(source)


def test_a_broken_plugin_is_shown_and_the_others_work(crowded):
    text = crowded.run("opforge", "plugins").stdout
    assert "acme-broken" in text
    assert "To load each one: opforge plugins --check" in text
    checked = crowded.run("opforge", "plugins", "--check", code=1).stdout
    assert "acme-broken 1.0: ImportError: libacme.so.3 is missing" in checked
    assert 'acme_broken.py", line 3, in <module>' in checked
    rows = json.loads(crowded.run("opforge", "plugins", "--check", "--json", code=1).stdout)
    states = {row["plugin"]: row["state"] for row in rows}
    assert states.pop("acme-broken") == "failed"
    assert set(states.values()) == {"loaded"}
    assert any(row["name"] == "acme_break" for row in read(crowded, "ops"))


def test_two_providers_are_listed_both(crowded):
    rows = [row for row in read(crowded, "ops") if row["name"] == "softmax"]
    assert {(row["plugin"], row["version"]) for row in rows} == {
        ("acme-rival", "2.5"),
        ("opforge-softmax", "0.1.0"),
    }
    text = crowded.run("opforge", "ops", "show", "softmax").stdout
    assert "    OPFORGE_PIN=softmax=acme-rival\n    OPFORGE_PIN=softmax=opforge-softmax\n" in text
    one = read(crowded, "ops", "show", "acme-rival::softmax")
    assert one["doc"] == "Treble the data, as acme-rival does."


@pytest.mark.parametrize(
    ("switch", "enabled"),
    [
        ("none", set()),
        ("softmax,tile", {"opforge-softmax", "opforge-tile"}),
        ("-acme-rival,-opforge-dense", {*NAMES, "acme-broken"} - {"opforge-dense"}),
    ],
)
def test_switches(crowded, switch, enabled):
    done = crowded.run("opforge", "plugins", "--json", OPFORGE_PLUGINS=switch)
    states = {row["plugin"]: row["state"] for row in json.loads(done.stdout)}
    assert {name for name, state in states.items() if state != "disabled"} == enabled
    assert set(states) == {*NAMES, "acme-broken", "acme-rival"}


# In processor time of an import of NumPy, 0.1 s: about 2, mostly for reading sources and importing
# typer, and 16, mostly for importing all plugins in separate processes.
@pytest.mark.parametrize(("command", "limit"), [("ops", 10), ("doctor", 60)])
def test_commands_are_quick(full, command, limit):
    def seconds(*words):
        """Return the least processor time of three runs."""
        found = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            full.run(*words, code=None)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(found)

    assert seconds("opforge", command) < limit * seconds("python", "-c", "import numpy")


def test_help_and_mistakes(full):
    assert "ops" in full.run("opforge", "--help", TERM="dumb").stdout
    full.run("opforge", "no-such-command", code=2)
    full.run("opforge", "ops", "show", code=2)


def test_an_intact_installation_passes_verification(full, tmp_path):
    # A machine without MPI is reported; nothing else is wrong.
    assert {row["remedy"] for row in full.faults()} <= {"pip install 'opforge-mpi[mpich]'"}
    rows = read(full, "plugins", "verify")
    assert {row["state"] for row in rows} == {"unchanged"}
    settings = {"OPFORGE_CONFIG": str(tmp_path / "opforge.toml")}
    full.run("opforge", "plugins", "allow", "softmax", "--exactly", **settings)
    with (tmp_path / "opforge.toml").open("a") as file:
        file.write('mode = "allowlist"\n')
    done = full.run("opforge", "plugins", "--json", **settings)
    states = {row["plugin"]: row["state"] for row in json.loads(done.stdout)}
    assert states.pop("opforge-softmax") == "not loaded"
    assert set(states.values()) == {"disabled"}


def test_a_changed_file_is_found_and_a_digest_keeps_it_out(environment, wheels, tmp_path):
    own = environment(wheels["opforge"], wheels["opforge-softmax"])
    settings = {"OPFORGE_CONFIG": str(tmp_path / "opforge.toml")}
    own.run("opforge", "plugins", "allow", "softmax", "--exactly", **settings)
    with (tmp_path / "opforge.toml").open("a") as file:
        file.write('mode = "allowlist"\n')
    (module,) = own.folder.glob("lib/*/site-packages/opforge_softmax/__init__.py")
    module.write_text(f"{module.read_text()}\nprint('changed')\n")
    assert (
        "opforge_softmax/__init__.py changed"
        in own.run("opforge", "plugins", "verify", code=1).stdout
    )
    told = own.run("opforge", "doctor", code=1).stdout
    assert "pip install --force-reinstall --no-deps opforge-softmax==0.1.0" in told
    refused = own.run("opforge", "plugins", "why", "opforge-softmax", **settings).stdout
    assert "its files differ from its RECORD: opforge_softmax/__init__.py" in refused


def test_plan_of_a_wheel(full, stranger):
    wheel = stranger("acme-rival", "softmax", "raise SystemExit('this ran')", version="2.5")
    text = full.run("opforge", "plugins", "plan", wheel).stdout
    assert "adds the operator softmax" in text
    assert "makes the operator softmax ambiguous, which opforge-softmax also provides" in text
    assert "this ran" not in text
