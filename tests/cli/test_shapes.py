import numpy as np
from numpy.testing import assert_array_equal

from pbow.datasets import SHAPE_NAMES, make_shapes


def test_clouds_and_labels_are_those_of_the_function(run, tmp_path):
    words = ["--per-class", "2", "--points", "30", "--seed", "4"]
    result = run("datasets", "shapes", "c.npy", "--labels", "y.txt", *words)
    assert result.exit_code == 0, result.output
    clouds, labels = make_shapes(2, 30, random_state=4)
    assert_array_equal(np.load("c.npy"), clouds)
    names = (tmp_path / "y.txt").read_text().splitlines()
    assert names == [SHAPE_NAMES[label] for label in labels]
    assert (result.stdout, result.stderr) == ("", "c.npy: 12 clouds of 30 points\n")


def test_only_arrays_are_written(run, tmp_path):
    result = run("datasets", "shapes", "c.csv", "--labels", "y.txt")
    assert result.exit_code == 2
    assert "Expected CLOUDS to be a .npy file; got c.csv." in result.stderr
    assert list(tmp_path.iterdir()) == []
