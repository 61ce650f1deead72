import numpy as np
import pandas
import pytest

from pbow import Diagrams
from pbow.io import FileFormatError, read_diagrams, write_diagrams

HEADER = "sample,part,birth,death\n"


@pytest.fixture
def read(tmp_path):
    def read(text, encoding="utf-8"):
        path = tmp_path / "diagrams.csv"
        path.write_bytes(text.encode(encoding))
        return read_diagrams(path)

    return read


def test_a_file_has_a_row_for_each_point_and_each_empty_diagram(tmp_path):
    X = Diagrams.from_parts({"H0": [[[0, np.inf]], []], 'a "b", c': [[[0.1, 0.2]]] * 2})
    write_diagrams(X, tmp_path / "diagrams.csv")
    assert (tmp_path / "diagrams.csv").read_text() == (
        HEADER + "0,H0,0.0,inf\n"
        "1,H0,,\n"
        '0,"a ""b"", c",0.1,0.2\n'
        '1,"a ""b"", c",0.1,0.2\n'
    )


@pytest.mark.parametrize("name", ["=1+2", "+x", "-x", "@x", "'=x", "''-x", "'x", "\tx"])
def test_a_spreadsheet_does_not_compute_names_of_parts(tmp_path, name):
    X = Diagrams.from_list([[[0, 1]], []], name=name)
    write_diagrams(X, tmp_path / "a.csv")
    row = (tmp_path / "a.csv").read_text().splitlines()[1]
    assert row.removeprefix("0,").lstrip('"').startswith("'")
    assert read_diagrams(tmp_path / "a.csv") == X


def test_parts_of_no_samples_are_named(tmp_path):
    X = Diagrams.from_parts({"H0": [], "H1": []})
    write_diagrams(X, tmp_path / "diagrams.csv")
    assert (tmp_path / "diagrams.csv").read_text() == HEADER + ",H0,,\n,H1,,\n"
    assert read_diagrams(tmp_path / "diagrams.csv") == X


def test_rows_and_columns_may_come_in_any_order_and_with_others(read):
    X = read("label,death,birth,part,sample\na,2,1,H1,1\nb,1,0,H1,0\n\nc,3,2,H1,1\n")
    assert Diagrams.from_list([[[0, 1]], [[1, 2], [2, 3]]], name="H1") == X


def test_quotes_may_come_late_and_go_over_lines(read):
    plain = "".join(f"{i},H1,{i},inf\n" for i in range(5000))
    X = read(HEADER + plain + '\n5000,"a\n""b,",1,2\n5000,"H1",1,2\n5000,H1,,\n')
    assert X.parts == ("H1", 'a\n"b,')
    assert X["H1"].sizes.tolist() == [1] * 5001
    assert X[5000]['a\n"b,'].tolist() == [[1.0, 2.0]]


def test_spreadsheets_are_understood(read):
    X = read("\ufeffsample,part,birth,death\r\n0.0,H1,1e-1,Infinity\r\n")
    assert Diagrams.from_list([[[0.1, np.inf]]], name="H1") == X


def test_pandas_reads_and_writes_it(tmp_path):
    X = Diagrams.from_parts({"H0": [[[0.5, np.inf]], []], "H1": [[[0.25, 0.375]], []]})
    write_diagrams(X, tmp_path / "a.csv")
    frame = pandas.read_csv(tmp_path / "a.csv")
    assert frame.dropna()["death"].tolist() == [np.inf, 0.375]
    frame.to_csv(tmp_path / "b.csv")
    assert read_diagrams(tmp_path / "b.csv") == X


def test_more_rows_than_are_read_at_a_time(rng, tmp_path):
    births = rng.uniform(size=10_000)
    points = np.column_stack((births, births + rng.exponential(size=10_000)))
    owners = np.sort(rng.integers(500, size=10_000))
    offsets = np.searchsorted(owners, np.arange(502))
    X = Diagrams(points, offsets, name="H0")
    write_diagrams(X, tmp_path / "diagrams.csv")
    assert read_diagrams(tmp_path / "diagrams.csv") == X
    # Points of a sample stay in order wherever they stand.
    first, *rows = (tmp_path / "diagrams.csv").read_text().splitlines()
    turns = [*rows[1::2], *rows[::2]]
    (tmp_path / "turned.csv").write_text("\n".join([first, *turns]))
    turned = read_diagrams(tmp_path / "turned.csv")
    assert turned.sizes.tolist() == X.sizes.tolist()
    expected = points[1::2][owners[1::2] == 7].tolist()
    assert turned[7][: len(expected)].tolist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"must have the columns sample, part, birth, death, each once; got ''"),
        ("0,H1,0,1\n", "must have the columns"),
        ("sample,part,birth,birth,death\n", "each once"),
        (HEADER, "no row below the first line"),
        (HEADER + "0,H1,0\n", "line 2 has 3 fields and the first line 4: '0,H1,0'"),
        (HEADER + "0,H1,0,1,2\n", "line 2 has 5 fields"),
        (HEADER + '0,"H1",0\n', "line 2 has 3 fields and the first line 4: '0,H1,0'"),
        (HEADER + "0,H1,0,1\n0,H1\n0,H1,0,1,2,3\n", "line 3 has 2 fields .*: '0,H1'"),
        (HEADER + "\n0,H1,0,1\n\n0,H1,zero,1\n", "line 5: 'zero' is not a number"),
        (HEADER + "0,H1,1_0,20\n", "'1_0' is not a number"),
        (HEADER + "0,H1,\u0661,2\n", "is not a number"),
        (HEADER + "0,H1,1,\n", "'' is not a number"),
        (HEADER + "0,H1,,1\n", "'' is not a number"),
        (HEADER + ",H1,0,1\n", "'' is not a number"),
        ("x,y\n0,1\n", "Of raw data, compute the diagrams first, as pbow homology"),
        (HEADER + "a,H1,0,1\n", "'a' is not a number"),
        (HEADER + "-1,H1,0,1\n", "line 2: .* numbered 0, 1, 2, ...; got '-1'"),
        (HEADER + "0.5,H1,0,1\n", r"got '0\.5'"),
        (HEADER + "nan,H1,0,1\n", "got 'nan'"),
        (HEADER + "1e300,H1,0,1\n", "got '1e300'"),
        (HEADER + "1,H1,0,1\n", r"there is 1, but no 0\. Write a row '0,H1,,'"),
        (HEADER + "0,H1,0,1\n2,H1,,\n", "there is 2, but no 1"),
        (HEADER + "9007199254740990,H1,0,1\n", "without gaps"),
        (HEADER + "0, ,0,1\n", "non-empty string"),
        (HEADER + "0,,0,1\n0,H1,0,1\n", "Each of several parts needs a name"),
        (HEADER + "0,H1,0,1\n0,h1,0,1\n", "differ by case only"),
        (HEADER + "0,H1,1,0\n", "dies before it is born"),
        (HEADER + "0,H1,0,1\n\n0,H1,nan,0\n", "line 4 has a point that is NaN"),
        (HEADER + "0,H1,-inf,0\n", "infinite birth"),
        (HEADER + "0,H1,0,1e999\n0,H1,0,1e101\n", r"beyond 1e\+100"),
        (HEADER + '0,"H1,0,1\n', "unexpected end of data"),
        (HEADER + '0,"' + "x" * 200_000 + '",0,1\n', "field larger than field limit"),
    ],
)
def test_what_is_not_such_a_file_is_refused(read, text, message):
    with pytest.raises(FileFormatError, match=message):
        read(text)


def test_other_encodings_are_refused(read):
    for encoding in ("utf-16", "latin-1"):
        with pytest.raises(FileFormatError, match="codec can't decode"):
            read(HEADER + "0,Höhe,0,1\n", encoding)


def test_a_short_file_cannot_ask_for_much_memory(read):
    rows = "".join(f"{i},part{i},0,1\n" for i in range(2000))
    with pytest.raises(FileFormatError, match="2000 parts and 2000 samples"):
        read(HEADER + rows)


def test_numbers_in_the_place_of_parts_are_no_parts(read):
    rows = "".join(f"0,{i},0,1\n" for i in range(10_001))
    with pytest.raises(FileFormatError, match=r"10001 parts .* really that"):
        read(HEADER + rows)
