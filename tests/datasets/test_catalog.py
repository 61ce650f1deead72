from pathlib import Path

import pytest

from pbow.datasets.catalog import CATALOG, entries_of, find_entry, how_to_get
from pbow.datasets.recipes import DepthMaps, StoredDiagrams
from pbow.datasets.splits import PROTOCOLS

BY_NAME = {entry.name: entry for entry in CATALOG}


def test_names_are_there_once_and_what_shares_a_file_has_recipes_that_differ():
    assert len(BY_NAME) == len(CATALOG)
    made = [(entry.stem, entry.recipe) for entry in CATALOG if entry.stem]
    assert len(set(made)) == len(made)


def test_another_file_that_is_needed_is_the_file_of_another_entry():
    others = [(entry, stem) for entry in CATALOG for stem in entry.other_stems]
    assert len(others) == 2
    for entry, stem in others:
        [owner] = [other for other in CATALOG if other.stem == stem]
        assert entry.stems == (entry.stem, stem)
        assert how_to_get(entry).endswith(
            f"It also needs {stem}.npz, the file of {owner.name}. {how_to_get(owner)}"
        )
    assert BY_NAME["synthetic"].stems == ()


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.name)
def test_every_entry_is_complete(entry):
    assert entry.protocol in PROTOCOLS
    assert (entry.stem is None) == (entry.generate is not None)
    assert entry.origin.endswith(".")
    assert entry.how.endswith((".", ")."))
    assert (entry.convert is None) == (entry.release is None)
    assert (entry.stand_in_for is not None) == entry.name.endswith("-standin")


def test_the_protocols_and_sub_samples_are_the_papers():
    protocols = {name: entry.protocol for name, entry in BY_NAME.items()}
    assert protocols["synthetic"] == protocols["synthetic-authors"] == "80/20"
    assert protocols["synthetic-authors-7"] == "80/20"
    assert protocols["reddit-5k"] == protocols["reddit-12k"] == "90/10"
    assert protocols["petrosurf3d"] == protocols["petrosurf3d-standin"] == "4 folds"
    assert protocols["shape-segmentation"] == "50/50"
    assert protocols["shape-segmentation-paper"] == "50/50"
    assert protocols["shape-segmentation-paper-extra"] == "50/50"
    assert protocols["geomat-standin"] == "groups"
    sizes = {name: entry.exp_a_per_class for name, entry in BY_NAME.items()}
    assert sizes["geomat"] == sizes["geomat-standin"] == 30
    assert sizes["reddit-5k"] == 100
    assert sizes["reddit-12k"] == 50
    assert sizes["petrosurf3d"] == sizes["petrosurf3d-standin"] == 390
    assert sizes["synthetic"] is sizes["shape-segmentation"] is None


def test_the_recipes_of_published_diagrams_and_depth_maps_are_the_papers():
    depth_maps = DepthMaps(flatten=True, resolution=400)
    assert BY_NAME["geomat"].recipe == depth_maps
    assert BY_NAME["shape-segmentation-carriere"].recipe == StoredDiagrams("H1")
    for name, entry in BY_NAME.items():
        assert ("paraboloid" in entry.how) == name.startswith("geomat")


@pytest.mark.parametrize("name", ["Reddit-5k", "REDDIT_5K", "reddit-5k"])
def test_case_and_dashes_do_not_matter(name):
    assert find_entry(name, []) is BY_NAME["reddit-5k"]


def test_other_graphs_and_meshes_are_found_by_their_files():
    stems = ["graphs_IMDB-BINARY", "psb_human_meshes", "notes", "graphs_mutag"]
    files = [Path(f"{stem}.npz") for stem in stems]
    assert find_entry("imdb_binary", files).stem == "graphs_IMDB-BINARY"
    assert find_entry("psb-human", files).stem == "psb_human_meshes"
    assert find_entry("mutag", files) is BY_NAME["mutag"]
    names = [entry.name for entry in entries_of(files)]
    assert names == [*BY_NAME, "imdb-binary", "psb-human"]


def test_a_graph_set_of_which_the_paper_takes_some_is_whole_under_its_own_name():
    files = [Path("graphs_REDDIT_MULTI_12K.npz")]
    assert find_entry("reddit-12k", files).recipe.n_per_class == 513
    assert find_entry("reddit-multi-12k", files).recipe.n_per_class is None


def test_an_unknown_name_is_answered_with_those_that_are_known():
    with pytest.raises(ValueError, match=r"set 'redit' \(did you mean 'reddit-"):
        find_entry("redit", [])
    with pytest.raises(ValueError, match=r"There are synthetic, .*imdb-binary\. A"):
        find_entry("xyz", [Path("graphs_IMDB-BINARY.npz")])
    with pytest.raises(ValueError, match=r"Expected the name of a data set.*got 5"):
        find_entry(5, [])


def test_meshes_that_are_not_here_can_be_imported():
    entry = find_entry("PSB_Human", [])
    assert "pbow datasets import psb-human --from PATH" in how_to_get(entry)


def test_a_stand_in_is_named_where_the_original_is_missing():
    for name in ("geomat", "petrosurf3d"):
        text = f"{name}-standin is a similar data set that stands in for it."
        assert how_to_get(BY_NAME[name]).endswith(text)
