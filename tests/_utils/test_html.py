from pbow._utils.html import html_table


def test_a_table_has_headings_and_escapes_what_comes():
    html = html_table("Words: <2>", ("word", "birth"), [(0, "<b>"), (1, 2.5)])
    assert html == (
        "<table><caption>Words: &lt;2&gt;</caption>"
        "<thead><tr><th>word</th><th>birth</th></tr></thead>"
        "<tbody><tr><th>0</th><td>&lt;b&gt;</td></tr>"
        "<tr><th>1</th><td>2.5</td></tr></tbody></table>"
    )


def test_a_row_of_one_entry_spans_the_table():
    assert "<tr><td colspan=3>5 more</td></tr>" in html_table("", "abc", [("5 more",)])
