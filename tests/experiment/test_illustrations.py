import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.datasets import SHAPE_NAMES, Dataset, Provenance
from pbow.experiment.figures.figure import CannotDraw, save
from pbow.experiment.figures.illustrations import pipeline, rips_stages, shapes

pytest.importorskip("matplotlib")


def make(n_classes=4, stand_in_for=None):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(n_classes), 3)
    sizes = np.tile([0, 30, 60], n_classes)
    births = [rng.uniform(0, 1, size=size) for size in sizes]
    return Dataset(
        name="made",
        diagrams=Diagrams.from_list(
            [np.column_stack((b, b + rng.exponential(size=len(b)))) for b in births]
        ),
        labels=labels,
        label_names=tuple(f"class {k}" for k in range(n_classes)),
        protocol="80/20",
        provenance=Provenance(origin="Made up.", stand_in_for=stand_in_for),
    )


@pytest.fixture(scope="module")
def panels():
    """The panels of a pipeline by their titles; those below each other are a list."""
    drawn = pipeline(make()).draw()
    inputs, outputs = drawn.axes[:3], drawn.axes[6:9]
    return {"in": inputs, "out": outputs} | {ax.get_title(): ax for ax in drawn.axes}


@pytest.fixture(scope="module")
def rows():
    # Of three diagrams of a class one has no points; the larger of the others is drawn.
    return [2, 8, 11]


def test_the_pipeline_goes_from_diagrams_to_histograms(panels):
    assert list(panels)[2:] == [
        "input diagrams",
        "",
        "consolidated diagram",
        "weighted sub-sample",
        "codebook",
        "codeword histograms",
    ]


def test_inputs_are_diagrams_of_three_classes(panels, rows):
    X = make().diagrams
    for ax, row in zip(panels["in"], rows, strict=True):
        births, deaths = X[row].T
        expected = np.column_stack((births, deaths - births))
        assert_allclose(ax.collections[0].get_offsets(), expected)
        assert ax.texts[0].get_text() == f"class {row // 3}"


def test_all_points_are_consolidated_and_some_of_them_drawn(panels):
    births, deaths = make().diagrams.points.T
    whole = panels["consolidated diagram"].collections[0].get_offsets()
    assert_allclose(whole, np.column_stack((births, deaths - births)))
    below, sample = panels["weighted sub-sample"].collections
    assert_array_equal(below.get_offsets(), whole)
    assert len(sample.get_offsets()) == 300
    assert np.isin(sample.get_offsets()[:, 0], births).all()
    assert_array_equal(
        panels["codebook"].collections[1].get_offsets(), sample.get_offsets()
    )


def test_histograms_count_the_points_of_the_inputs_by_their_nearest_word(panels, rows):
    words = panels["codebook"].collections[-1].get_offsets()
    assert len(words) == 8
    numbers = {text.xy: text.get_text() for text in panels["codebook"].texts}
    assert list(numbers.values()) == [str(k) for k in range(1, 9)]
    assert_allclose(list(numbers), words)
    for ax, row in zip(panels["out"], rows, strict=True):
        births, deaths = make().diagrams[row].T
        points = np.column_stack((births, deaths - births))
        nearest = np.linalg.norm(points[:, None] - words, axis=2).argmin(axis=1)
        bars = [bar.get_height() for bar in ax.patches]
        assert_array_equal(bars, np.bincount(nearest, minlength=8))


def test_points_have_the_same_place_in_all_panels(panels):
    planes = [*panels["in"], panels["weighted sub-sample"], panels["codebook"]]
    assert len({ax.get_xlim() + ax.get_ylim() for ax in planes}) == 1


def test_the_pipeline_names_its_data_and_classes():
    figure = pipeline(make(stand_in_for="GeoMat"), "Surfaces")
    assert "Surfaces (stand-in for GeoMat)" in figure.title
    assert "Surfaces (stand-in for GeoMat)" in figure.caption
    assert "of class 0, class 2, class 3" in figure.caption


def test_the_pipeline_needs_three_classes():
    with pytest.raises(CannotDraw, match="three classes; made has 2"):
        pipeline(make(2))


def test_the_sample_is_what_the_words_were_learnt_from(panels):
    """Words of k-means are the means of the sampled points in their cells."""
    words = panels["codebook"].collections[-1].get_offsets()
    sample = panels["weighted sub-sample"].collections[1].get_offsets()
    nearest = np.linalg.norm(sample[:, None] - words, axis=2).argmin(axis=1)
    means = [sample[nearest == k].mean(axis=0) for k in range(8)]
    # Iterations may stop a little before; another sample is off by 0.2 and more.
    assert_allclose(means, words, atol=0.01)


def test_stages_show_the_edges_and_triangles_of_the_complex():
    pytest.importorskip("gudhi")
    *stages, below = rips_stages().draw().axes
    assert len(stages) == 5
    points = stages[0].collections[-1].get_offsets()
    assert_allclose(np.linalg.norm(points, axis=1), 1)
    reached = [line.get_xdata()[0] for line in below.lines]
    for ax, t in zip(stages, reached, strict=True):
        triangles, edges, dots = ax.collections
        assert_array_equal(dots.get_offsets(), points)
        lengths = np.linalg.norm(points[:, None] - points, axis=2)
        joined = lengths[np.triu_indices(8, k=1)] <= t + 1e-9
        drawn = np.array([np.diff(e, axis=0)[0] for e in edges.get_segments()])
        assert len(drawn) == joined.sum()
        if len(drawn):
            assert np.linalg.norm(drawn, axis=1).max() <= t + 1e-9
        adjacent = (lengths <= t + 1e-9) & (lengths > 0)
        cubed = np.linalg.matrix_power(adjacent.astype(int), 3)
        assert len(triangles.get_paths()) == np.trace(cubed) // 6
        assert f"{t:.2f}" in ax.get_title()


def test_the_bar_goes_from_the_stage_where_the_ring_closes_to_the_last():
    pytest.importorskip("gudhi")
    figure = rips_stages()
    *stages, below = figure.draw().axes
    (bar,) = below.collections[0].get_segments()
    reached = [line.get_xdata()[0] for line in below.lines]
    assert_allclose(bar[:, 0], [reached[1], reached[-1]])
    assert reached[0] == 0
    assert [len(ax.collections[1].get_segments()) for ax in stages[:2]] == [0, 8]
    assert f"born at t = {reached[1]:.3f}" in figure.caption
    assert f"dies at t = {reached[-1]:.3f}" in figure.caption


def test_six_shapes_are_drawn_on_one_scale():
    axes = shapes().draw().axes
    assert [ax.get_title() for ax in axes] == list(SHAPE_NAMES)
    assert len({ax.get_xlim() + ax.get_zlim() for ax in axes}) == 1
    assert {len(ax.collections[0].get_offsets()) for ax in axes} == {500}


def test_figures_can_be_saved(tmp_path):
    pytest.importorskip("gudhi")
    assert save(rips_stages(), tmp_path).svg.exists()
    for figure in (pipeline(make()), shapes()):
        figure.draw().draw_without_rendering()
