from opforge.cli.printing.quantization_tables import print_quantization

REPORT = {
    "examples": 40,
    "bytes": [4 * 2**20, 2**20],
    "ms": [2.0, 0.5],
    "agreement": 0.975,
    "layers": {"conv0": 0.01234},
    "files": ["small-symbol.json", "small-0000.params"],
}


def test_figures_before_and_after(capsys):
    print_quantization({**REPORT, "accuracy": [0.9, 0.875]})
    printed = capsys.readouterr().out
    lines = [line.split() for line in printed.splitlines()]
    assert ["parameters", "(MiB)", "4.00", "1.00"] in lines
    assert ["one", "example", "(ms)", "2.000", "0.500"] in lines
    assert ["accuracy", "90.00%", "87.50%"] in lines
    assert ["conv0", "1.23%"] in lines
    assert "The largest output is the same for 97.5% of 40 examples." in printed
    assert "wrote small-symbol.json, small-0000.params" in printed


def test_accuracy_needs_labels(capsys):
    print_quantization(REPORT)
    assert "accuracy" not in capsys.readouterr().out
