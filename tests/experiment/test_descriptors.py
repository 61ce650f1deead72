import pytest
from sklearn.preprocessing import StandardScaler

from pbow import PersistenceBoW
from pbow.experiment import DeclarationError
from pbow.experiment.descriptors import find_maker, make_descriptor
from pbow.kernels import SlicedWassersteinKernel
from pbow.vectorizers import PersistenceImage, PersistenceStatistics


def test_makers_are_found_by_name():
    assert find_maker("PersistenceImage") is PersistenceImage
    assert find_maker("SlicedWassersteinKernel") is SlicedWassersteinKernel
    assert find_maker("PersistenceBoW.paper") == PersistenceBoW.paper
    assert find_maker("sklearn.preprocessing:StandardScaler") is StandardScaler
    assert find_maker("pbow.vectorizers:PersistenceBoW.paper") == PersistenceBoW.paper


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("PersistanceImage", {}, r"\(did you mean 'PersistenceImage'\?\)\.$"),
        ("PersistenceBoW.papers", {}, "there is no 'PersistenceBoW.papers'"),
        ("sklearn.svm:SVCC", {}, r"\(did you mean 'SVC'\?\)"),
        ("Horse", {}, r"there is no 'Horse'\.$"),
        ("vectorizers", {}, "there is no 'vectorizers'"),
        ("", {}, "there is no ''"),
        ("PersistenceBoW.", {}, "there is no 'PersistenceBoW.'"),
        ("no_such_package:Thing", {}, "No module named .* Is its package installed?"),
        (".relative:Thing", {}, "cannot be imported"),
        ("PersistenceBoW", {"horse": 3}, r"^PersistenceBoW .* argument 'horse'"),
        ("PersistenceBoW.paper", {"horse": 3}, r"\.paper .* argument 'horse'"),
        ("builtins:range", {"start": 3}, r"does not accept {'start': 3}: range\(\) "),
        ("builtins:dict", {}, "Expected builtins:dict to make an estimator"),
        ("sklearn.svm:SVC", {}, "SVC to make an estimator with fit and transform"),
    ],
)
def test_wrong_names_and_parameters_are_errors_of_the_declaration(
    name, params, message
):
    with pytest.raises(DeclarationError, match=message):
        make_descriptor(name, params, seed=0)


def test_what_draws_is_seeded():
    made = make_descriptor("PersistenceBoW.paper", {"n_words": 5}, seed=7)
    assert (made.random_state, made.n_words) == (7, 5)
    statistics = make_descriptor("PersistenceStatistics", {}, seed=7)
    assert isinstance(statistics, PersistenceStatistics)
