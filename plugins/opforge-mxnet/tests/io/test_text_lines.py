from hypothesis import given
from hypothesis import strategies as st
from opforge_mxnet.io.text_lines import line_at


@given(st.lists(st.sampled_from([b"a", b"\n", b" "])).map(b"".join), st.data())
def test_the_line_is_found(text, data):
    place = data.draw(st.integers(0, len(text)))
    number, before, after = line_at(text, place)
    assert text.split(b"\n")[number - 1] == before + after
    assert text[:place].endswith(before) and text[place:].startswith(after)
