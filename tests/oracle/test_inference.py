"""Shapes and types inferred for graphs that MXNet created, against MXNet's results."""

import warnings

import pytest

from opforge import sym
from opforge.base.errors import OpforgeError

from .saved import as_mxnet_writes

COUNT = 50


def ask(symbol, query):
    """Return the answer as lists, "error" if the query is rejected."""
    given = {k: v if isinstance(v, str) else tuple(v) for k, v in query["given"].items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            found = getattr(symbol, query["method"])(**given)
        except OpforgeError:
            return "error"
    if query["method"].startswith("infer_type"):
        return [None if g is None else [t and t.__name__ for t in g] for g in found]
    return [None if g is None else [list(s) for s in g] for g in found]


def agrees(have, want):
    """Return whether a known value equals the other or refines it: MXNet infers backwards less."""
    if want is None or want == []:
        return True
    if isinstance(want, str):
        return have == want
    return len(have) == len(want) and all(a == b or not b for a, b in zip(have, want, strict=True))


def is_guess(case, query):
    """Return whether MXNet may be wrong: for Concat it adds only the known lengths."""
    answer = query["answer"]
    return (
        query["method"] == "infer_shape_partial"
        and '"Concat"' in case["json"]
        and any(0 in shape or not shape for shape in answer[0])
    )


def is_refined(have, want):
    if "error" in (have, want) or None in have:
        return False
    if None in want:
        return True
    return all(
        agrees(a, b)
        for groups in zip(have, want, strict=True)
        for a, b in zip(*groups, strict=True)
    )


@pytest.fixture
def cases(oracle):
    return oracle("graphs", {"count": COUNT})


def test_graphs_of_mxnet(cases):
    assert len(cases) >= COUNT
    refined = asked = 0
    for case in cases:
        symbol = sym.load_json(case["json"])
        assert as_mxnet_writes(symbol) == case["json"]
        assert symbol.debug_str() == case["debug"]
        assert symbol.attr_dict() == case["attributes"]
        assert symbol.get_internals().list_outputs() == case["outputs"]
        for query in case["queries"]:
            have, want = ask(symbol, query), query["answer"]
            asked += 1
            # MXNet rejects queries of some operators about unknown shapes.
            if have == want or (want == "error" and have != "error"):
                continue
            # If shapes contradict each other, MXNet may only report that it cannot infer them.
            if have == "error" and want == [None, None, None]:
                continue
            if is_guess(case, query):
                continue
            assert is_refined(have, want), (query, have, case["json"])
            refined += 1
    assert refined < asked / 20, f"{refined} of {asked} answers say more than MXNet's"


def test_a_contradiction_is_an_error_in_both(cases):
    contradictions = refused = 0
    for case in cases:
        queries = case["queries"]
        if len(queries) < 20 or queries[-5]["method"] != "infer_shape":
            continue
        wrong = queries[-5]
        if wrong["answer"] == "error":
            contradictions += 1
            refused += ask(sym.load_json(case["json"]), wrong) == "error"
    assert contradictions == refused > 10
