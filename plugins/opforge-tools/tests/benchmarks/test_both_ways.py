"""Cases that come in two."""

from opforge_tools.benchmarks.both_ways import pair, wanted


def made(targets):
    return pair(
        "group", "square", "nd.square(x)", "x * x", targets, {"n": 4}, {"x": wanted("n")}, "n"
    )


def test_a_prediction_and_both_ways():
    forward, both = made((0.5, 0.8))
    assert (forward.name, both.name) == ("square, forward", "square, both")
    assert (forward.target, both.target) == (0.5, 0.8)
    assert (forward.records, both.records) == (False, True)
    assert (forward.arrays["x"].needs_grad, both.arrays["x"].needs_grad) == (False, True)
    assert both.opforge == "both(lambda: nd.square(x))"
    assert (forward.flops, both.flops) == ("n", "3 * n")


def test_a_case_without_a_target_is_left_out():
    (both,) = made((None, 0.8))
    assert both.name == "square, both"
