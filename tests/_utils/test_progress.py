"""Progress bars: what is drawn, what is counted, what is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from pbow._utils.progress import progress_bar


def test_a_bar_is_drawn_on_stderr_with_its_unit_and_taken_away(capsys):
    with progress_bar(show=True, total=10, unit="pairs", done=4) as advance:
        assert "4/10" in capsys.readouterr().err
        advance(6)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\r")


def test_nothing_is_drawn_unless_asked_for(capsys):
    with progress_bar(show=False, total=10, unit="pairs") as advance:
        advance(10)
    assert capsys.readouterr() == ("", "")


def test_a_program_without_stderr_works_as_well(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    with progress_bar(show=True, total=10, unit="pairs") as advance:
        advance(10)


def test_threads_may_share_a_bar():
    calls = []
    with (
        progress_bar(
            show=lambda *args: calls.append(args), total=2000, unit="pairs", done=10
        ) as advance,
        ThreadPoolExecutor(4) as pool,
    ):
        list(pool.map(advance, [1] * 1990))
    assert calls == [(n, 2000) for n in range(11, 2001)]


@pytest.mark.parametrize("progress", [None, "yes", 1])
def test_what_is_neither_true_nor_false_is_refused(progress):
    with (
        pytest.raises(ValueError, match="Expected progress to be True or False; got"),
        progress_bar(show=progress, total=1, unit="pairs"),
    ):
        pass
