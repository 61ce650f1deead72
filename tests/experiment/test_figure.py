import sys
import xml.etree.ElementTree as ET

import pytest

from pbow.experiment.figures.figure import (
    Figure,
    add_legend,
    new_figure,
    new_panels,
    save,
)

matplotlib = pytest.importorskip("matplotlib")


def draw():
    figure = new_figure(3, 2)
    ax = figure.subplots()
    ax.plot([10, 20, 50], [61.0, 64.5, 66.0])
    ax.fill_between([10, 20, 50], [60, 63, 65], [62, 65, 67])
    return figure


EXAMPLE = Figure("an-example_1", "An example", "What is shown.", draw)


def test_both_files_are_written_to_a_folder_that_is_made(tmp_path):
    saved = save(EXAMPLE, tmp_path / "new" / "folder")
    assert (saved.title, saved.caption) == ("An example", "What is shown.")
    assert saved.png == tmp_path / "new" / "folder" / "an-example_1.png"
    assert saved.png.read_bytes().startswith(b"\x89PNG")
    assert ET.parse(saved.svg).getroot().tag.endswith("svg")
    assert len(list(saved.png.parent.iterdir())) == 2


def test_a_picture_has_the_same_bytes_each_time_it_is_drawn(tmp_path):
    one, two = save(EXAMPLE, tmp_path / "one"), save(EXAMPLE, tmp_path / "two")
    assert one.png.read_bytes() == two.png.read_bytes()
    assert one.svg.read_bytes() == two.svg.read_bytes()


def test_settings_of_the_user_do_not_change_a_picture(tmp_path):
    plain = save(EXAMPLE, tmp_path / "plain")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        styled = save(EXAMPLE, tmp_path / "styled")
        assert matplotlib.rcParams["font.size"] == 30
    assert plain.png.read_bytes() == styled.png.read_bytes()
    assert plain.svg.read_bytes() == styled.svg.read_bytes()


def test_a_picture_has_its_title_and_neither_date_nor_version(tmp_path):
    text = save(EXAMPLE, tmp_path).svg.read_text()
    assert "<title>An example</title>" in text
    assert "<dc:date>" not in text
    assert matplotlib.__version__ not in text


def test_a_png_has_150_dots_an_inch(tmp_path):
    head = save(EXAMPLE, tmp_path).png.read_bytes()[16:24]
    size = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")
    assert size == (450, 300)


def test_pyplot_knows_nothing_of_a_picture(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    before = plt.get_fignums()
    save(EXAMPLE, tmp_path)
    assert plt.get_fignums() == before


def test_a_picture_that_cannot_be_drawn_leaves_the_old_files_alone(tmp_path):
    saved = save(EXAMPLE, tmp_path)
    before = saved.png.read_bytes(), saved.svg.read_bytes()

    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError):
        save(Figure(EXAMPLE.name, "", "", fail), tmp_path)
    assert (saved.png.read_bytes(), saved.svg.read_bytes()) == before
    assert len(list(tmp_path.iterdir())) == 2


def test_a_name_with_letters_that_no_file_should_have_stays_in_the_folder(tmp_path):
    saved = save(Figure("../of the set (1)", "", "", draw), tmp_path)
    assert saved.name == "../of the set (1)"
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "-of-the-set-1-.png",
        "-of-the-set-1-.svg",
    ]
    assert saved.png.parent == tmp_path


def test_panels_are_as_many_as_asked_for():
    for n in (1, 2, 3, 4, 5, 7):
        figure, axes = new_panels(n)
        assert len(axes) == len(figure.axes) == n


def test_a_legend_has_as_many_rows_as_it_needs():
    from matplotlib.lines import Line2D  # noqa: PLC0415

    handles = [Line2D([], [], label=str(k)) for k in range(4)]
    columns = []
    for n in (1, 2):
        figure, _ = new_panels(n)
        add_legend(figure, handles)
        columns.append(figure.legends[0]._ncols)
    assert columns == [2, 4]


def test_without_matplotlib_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="of the extra plot: pip install matplotlib"):
        save(EXAMPLE, tmp_path)
