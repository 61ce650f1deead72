"""How the page reads CSV files, against pbow.io."""

import csv
import json

import numpy as np
import pytest
from tests.explorer.driving import csv_of, visit

from pbow import Diagrams
from pbow.explorer.page import _asset
from pbow.io import read_diagrams
from pbow.io.csv import text_cell

READ = """
    const done = arguments[arguments.length - 1];
    const shown = (value) => (Number.isFinite(value) ? value : String(value));
    Csv.readSamples(arguments[1], arguments[0], async () => {}).then(
        (samples) => done(samples.map((sample) =>
            Object.entries(sample).map(([name, xy]) => [name, [...xy].map(shown)]),
        )),
        (error) => done(error.message),
    );
"""
HEAD = "sample,part,birth,death\n"


@pytest.fixture(scope="module")
def read(browser):
    """Return what the page reads for a model of some parts: samples or a message."""
    visit(browser, "about:blank")

    def reading(text, parts=("H1",), essential="drop"):
        model = {"parts": parts, "essential": essential}
        model = json.loads(json.dumps(model))
        found = browser.execute_async_script(_asset("csv.js") + READ, model, text)
        if isinstance(found, str):
            return found
        lists = [
            {name: np.array(values, float).reshape(-1, 2) for name, values in s}
            for s in found
        ]
        return Diagrams.from_list(lists)

    return reading


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "0,H1,0.1,0.7\n0,H1,1e-3,inf\n1,H1,,\n",
        HEAD + "1,H1,0,1\n0,H1,.5,1.\n1,H1,-2,+3e1",
        "\ufeff" + HEAD + "0,H1,0,Infinity\n",
        'death,note,part,birth,sample\r\n2,"a, b\n""c""",H1,1,0\r\n\r\n3,,H1,1,0\r\n',
        HEAD.replace("\n", "\r") + "0,H1,0.1,0.30000000000000004\r",
        HEAD + "0, H1,1,2\n".replace(" ", "") + "0,H1, 1.5 ,2\n 0 ,H1,1,2\n",
        HEAD + ",H1,,\n0,H1,5e-324,1.7976931348623157e99\n",
    ],
    ids=["points", "order", "mark", "quotes", "old lines", "spaces", "names"],
)
def test_a_file_is_read_as_by_python(read, tmp_path, text):
    path = tmp_path / "own.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert read(text) == read_diagrams(path)


def test_what_python_writes_is_read(read):
    rng = np.random.default_rng(0)
    births = rng.normal(size=(5, 30)) * 10.0 ** rng.integers(-9, 9, (5, 30))
    lists = [np.c_[b, b + rng.exponential(1.0, 30)] for b in births]
    name = 'a "quoted", part'
    X = Diagrams.from_parts({name: lists, "__proto__": [[], *lists[1:]]})
    assert read(csv_of(X), X.parts) == X


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must have the columns sample, part, birth, death, each once; got"),
        ("sample,part,birth\n", "must have the columns"),
        ("sample,part,birth,death,birth\n", "each once"),
        (HEAD, "no row below the first line"),
        (HEAD + "0,H1,1\n", 'Row 2 has 3 fields and the first line 4: "0,H1,1"'),
        (HEAD + "0,H1,one,2\n", '"one" in row 2 is not a number'),
        (HEAD + "0,H1,0x1,2\n", '"0x1" in row 2 is not a number'),
        (HEAD + "0,H1,,2\n", '"" in row 2 is not a number'),
        (HEAD + "0,H1,1_0,20\n", '"1_0" in row 2 is not a number'),
        (HEAD + "0.5,H1,1,2\n", 'Samples are numbered 0, 1, 2, ...; row 2 has "0.5"'),
        (HEAD + "-1,H1,1,2\n", 'row 2 has "-1"'),
        (HEAD + "0,H1,1,2\n2,H1,1,2\n", "without gaps; there is no 1"),
        (HEAD + "0,H1,2,1\n", "negate both (birth=2, death=1)"),
        (HEAD + "0,H1,nan,1\n", "that is NaN"),
        (HEAD + "0,H1,-inf,1\n", "infinite birth"),
        (HEAD + "0,H1,0,1e101\n", "beyond 1e+100"),
        (HEAD + "0,H2,0,1\n", "parts H1: H1 is missing, H2 is unexpected"),
        (HEAD + '0,"H1,0,1\n', "A quotation mark is not closed"),
        (HEAD + '0,"H1"x,0,1\n', "not at the end"),
    ],
)
def test_a_bad_file_is_refused_in_words(read, tmp_path, text, message):
    found = read(text)
    assert isinstance(found, str)
    assert message in found
    path = tmp_path / "own.csv"
    path.write_text(text)
    if "H2" not in text:  # parts are the model's affair
        with pytest.raises(ValueError, match=r"own\.csv"):
            read_diagrams(path)


def test_texts_that_could_be_misread_are_quoted_and_formulas_are_made_text(browser):
    visit(browser, "about:blank")
    fields = [3, -0.5, 1e-300, "plain", "=1+1", "+x", "-2", "@x", ' a"b,', "\t"]
    programs = _asset("elements.js") + _asset("download.js")
    line = browser.execute_script(
        f"{programs} return Download.lineOf(arguments[0]);", fields
    )
    assert line == '3,-0.5,1e-300,plain,\'=1+1,\'+x,\'-2,\'@x," a""b,","\'\t"\n'
    (row,) = csv.reader([line])
    assert row[3:] == [text_cell(field) for field in fields[3:]]


def test_births_after_the_end_of_the_model_are_refused(read):
    text = HEAD + "0,H1,0,9\n0,H1,4,inf\n"
    assert "born after the model's essential=3 (birth=4, death=Infinity)" in read(
        text, essential=3
    )
    assert len(read(text, essential=5)) == 1


def test_a_part_without_a_name_is_the_only_one_of_the_model_and_vice_versa(read):
    assert read(HEAD + "0,,0,1\n") == read(HEAD + "0,H1,0,1\n")
    assert read(HEAD + "0,H1,0,1\n", parts=("",)) == Diagrams.from_list([[[0, 1]]])
    assert "H1 is missing" in read(HEAD + "0,,0,1\n", parts=("H0", "H1"))
    assert read(HEAD + "0,,2,1\n").startswith("Diagram 0 has a point that dies before")
