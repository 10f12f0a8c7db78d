import numpy as np
import pytest

from opforge import nd


@pytest.mark.parametrize(
    "value, dtype, spec, text",
    [
        (3.14159, "float32", ".3f", "3.142"),
        (0.25, "float64", ".0%", "25%"),
        (42, "int32", "05d", "00042"),
        (1234567, "int64", ",", "1,234,567"),
    ],
)
@pytest.mark.parametrize("shape", [(1,), (), (1, 1)])
def test_the_number_of_an_array_is_formatted(value, dtype, spec, text, shape):
    assert format(nd.full(shape, value, dtype=dtype), spec) == text


def test_without_a_format_an_array_is_written_as_by_str():
    x = nd.array([[1, 2]])
    assert f"{x}" == str(x) and f"{x!r}" == repr(x)


@pytest.mark.parametrize("shape", [(2,), (0,), (2, 2)])
def test_number_formats_reject_arrays_of_several_elements(shape):
    with pytest.raises(TypeError, match=r"'\.2f' is for one number, and this array has shape \("):
        format(nd.zeros(shape), ".2f")


def test_a_small_matrix_is_a_table_of_numbers():
    html = nd.array([[1, 2.5], [-3, 1e9]])._repr_html_()
    assert "NDArray 2x2 float32 @cpu(0)" in html
    assert html.count("<tr>") == 2 and html.count("<td") == 4
    assert all(f">{text}<" in html for text in ("1", "2.5", "-3", "1e+09"))
    assert ">True<" in nd.array([1, 0], dtype="bool")._repr_html_()


def test_colours_show_magnitude_and_sign():
    html = nd.array([-4, 0, 2])._repr_html_()
    assert "rgba(64,120,192,0.80)" in html and "rgba(208,80,64,0.40)" in html
    assert "rgba(208,80,64,0.00)" in html
    assert nd.array([3, 3])._repr_html_().count("rgba(208,80,64,0.00)") == 2


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinity_are_striped(odd):
    html = nd.array([1, odd, 2])._repr_html_()
    assert html.count("repeating-linear-gradient") == 1
    assert "rgba(208,80,64,0.80)" in html
    assert nd.array([odd])._repr_html_().count("repeating-linear-gradient") == 1


def test_of_a_large_matrix_a_picture_of_bounded_size_is_shown():
    html = nd.array(np.arange(1000 * 30).reshape(1000, 30))._repr_html_()
    assert html.count("<tr>") == 24 and html.count("<td") == 24 * 24
    assert "2.9999e+04" in html, "the first and last numbers follow as text"
    assert len(html) < 50_000
    assert len(nd.zeros((3, 100_000))._repr_html_()) < 50_000


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 3, 4), (1000,), (50, 60, 70)])
def test_other_shapes_are_text(shape):
    html = nd.zeros(shape)._repr_html_()
    assert html.startswith("<pre") and "<table" not in html and len(html) < 5000


def test_looking_at_an_array_keeps_no_memory():
    x = nd.zeros((30, 30))
    x._repr_html_()
    before = x.asnumpy().copy()
    x[:] = 5
    assert (x.asnumpy() == 5).all() and (before == 0).all()
