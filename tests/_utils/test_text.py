import pytest

from pbow._utils.text import did_you_mean, file_size, natural_key, plural


@pytest.mark.parametrize(
    ("n", "noun", "text"),
    [
        (1, "diagram", "1 diagram"),
        (0, "diagram", "0 diagrams"),
        (2000, "class", "2,000 classes"),
        (2, "box", "2 boxes"),
    ],
)
def test_a_count_has_the_right_noun(n, noun, text):
    assert plural(n, noun) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (3.2e9, "3.2 GB"), (1e300, "1e+282 EB")],
)
def test_a_size_has_a_unit(n_bytes, text):
    assert file_size(n_bytes) == text


def test_the_nearest_name_is_proposed():
    assert did_you_mean("n_word", ["n_words", "seed"]) == " (did you mean 'n_words'?)"
    assert did_you_mean("zzz", ["n_words", "seed"]) == ""


def test_numbers_in_names_are_compared_as_numbers():
    names = ["c10.csv", "c2.csv", "c02.csv", "b", "c", "9" * 10**6, "1"]
    expected = ["1", "9" * 10**6, "b", "c", "c02.csv", "c2.csv", "c10.csv"]
    assert sorted(names, key=natural_key) == expected
