"""What the claims say of made-up runs."""

import pytest

from experiments import claims


@pytest.fixture
def results(declared, runs):
    return claims.results_of(declared, runs)


@pytest.mark.parametrize(
    ("check", "paper", "here"),
    [
        (
            claims.vectors_against_kernels,
            "1 of 2. Best vectorized method and best kernel: Synthetic PI 98.0 and MK "
            "92.0; GeoMat PBoW 26.7 and MK 27.0.",
            "1 of 1, stand-ins 1 of 1. ",
        ),
        (
            # All five splits have PI ahead on Synthetic: p = 0.0625.
            claims.words_are_level_with_the_best,
            "1 of 1 (Wilcoxon test, p > 0.1). GeoMat does not count: 4 splits cannot "
            "show a difference. Synthetic PBoW 98.0, best PI 98.0; GeoMat PBoW 26.7,",
            "0 of 1 (Wilcoxon test, p > 0.1). GeoMat stand-in does not count: ",
        ),
        (
            claims.plain_words_ahead,
            "2 of 2. PBoW minus sPBoW: Synthetic +1.1, GeoMat +4.5.",
            "1 of 1, stand-ins 1 of 1. PBoW minus sPBoW: Synthetic +10.0, ",
        ),
        (
            # On GeoMat two standard errors are 3.6 points.
            claims.stable_words_level,
            "1 of 2 (Synthetic); ",
            "0 of 1, stand-ins 0 of 1 (none); ",
        ),
        (
            claims.times_against_words,
            "Time divided by that of PBoW: PI and RM 12 to 1,000, median 506, at least "
            "10 in 2 of 2; kernels 100 to 30,000, median 15,050, at least 10 in 2 of 2",
            "Time divided by that of PBoW: PI and RM 1.0 to 1.0, median 1.0, at least "
            "10 in 0 of 1; kernels 15 to 15, median 15, at least 10 in 1 of 1; PI and "
            "RM on stand-ins 1.0 to 1.0, median 1.0, at least 10 in 0 of 1; kernels on",
        ),
    ],
)
def test_claims_are_checked_on_the_papers_table_and_here(check, paper, here, results):
    assert check(results.paper).startswith(paper)
    assert check(results.here).startswith(here)


def test_accuracies_by_size_and_weighting_are_of_the_screening(results):
    assert claims.accuracies_by_size(results) == (
        "Accuracy (number of words) in the screening: PBoW on Synthetic 63.4 (10), "
        "63.6 (20), 67.2 (200); best 67.2 (200). sPBoW on Synthetic 53.4 (10), "
        "53.6 (20), 57.2 (200); best 57.2 (200)."
    )
    assert claims.gains_of_weighting(results).startswith(
        "Better with weighting by more than 1 point: 2 of 2, stand-ins 0 of 2; worse: "
        "0 of 2, stand-ins 2 of 2. Gains in the screening: PBoW on Synthetic +3.0, "
    )
    optima = claims.papers_optima(results, "n_words", {"geomat"})
    assert optima.endswith("optima of the supplement: PBoW on GeoMat 20.")


def test_runs_of_other_declarations_do_not_count(declared, runs, results):
    record = next(one for one in runs.values() if one["stage"] == "screen")
    scores = {"distance": record["scores"]["distance"] | {"accuracy": 1.0}}
    params = record["params"] | {"n_words": 50}
    foreign = record | {"key": "foreign", "params": params, "scores": scores}
    more = claims.results_of(declared, runs | {"foreign": foreign})
    assert claims.accuracies_by_size(more) == claims.accuracies_by_size(results)
