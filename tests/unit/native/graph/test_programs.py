from opforge import sym
from opforge.native.graph.programs import Programs
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower


def test_programs_know_where_callers_put_what():
    compiled = compile_graph(lower(sym.var("x") * sym.var("y"), {"x": (2,), "y": (2,)}, {}), {})
    programs = compiled.programs(["y", None, "x"], compiled.instantiate)
    assert isinstance(programs, Programs)
    assert programs.n_forward == 1
    assert programs.n_made == 0
