"""A sample of what `make fuzz` tries, and that it finds what it is there to find."""

import json
import os
import random
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from pbow._utils.warn import warn_user
from pbow.diagrams import check_diagrams
from pbow.errors import FewerWordsWarning, FileFormatError

pytest.importorskip("resource", reason="needs limits of Unix")
from fuzzing.files import TARGETS, file_targets
from fuzzing.objects import check_result, object_targets
from fuzzing.trial import Target, Trial, is_own_error
from fuzzing.workers import FAILED, READ, REFUSED, attempt, make_trial, run

ROOT = Path(__file__).parents[1]


@pytest.fixture
def run_all(tmp_path):
    """Run targets for some inputs; failures are shown with what has failed."""

    def run_targets(targets, count, **options):
        outcomes = run(targets, 1, tmp_path, count=count, **options)
        return outcomes, [(f.target, f.case, f.outcome) for f in outcomes.failures]

    return run_targets


OWN_FORMATS = [name for name, (_, library) in TARGETS.items() if not library]
LIBRARY_FORMATS = [name for name, (_, library) in TARGETS.items() if library]


def test_damaged_and_forged_files_are_read_or_refused(tmp_path, run_all):
    (tmp_path / "sound").mkdir()
    targets = file_targets(tmp_path / "sound", OWN_FORMATS)
    outcomes, failures = run_all(targets, 1500)
    assert failures == []
    for name in OWN_FORMATS:
        counts = outcomes.tallies[name].counts
        assert min(counts["read"], counts["refused"]) > 0, name


def test_odd_arrays_and_parameters_give_sound_results_or_own_errors(run_all):
    outcomes, failures = run_all(object_targets(), 1000)
    assert failures == []
    for tally in outcomes.tallies.values():
        assert min(tally.counts["read"], tally.counts["refused"]) > 0
    assert outcomes.n_inputs == 1000


def test_the_libraries_of_other_formats_are_tried_apart(tmp_path, run_all):
    pytest.importorskip("h5py")
    (tmp_path / "sound").mkdir()
    targets = file_targets(tmp_path / "sound", LIBRARY_FORMATS)
    outcomes, _ = run_all(targets, 300)
    assert [f for f in outcomes.failures if not f.is_library] == []
    assert {target.library for target in targets} >= {"pyarrow", "h5py", "Pillow"}


def target_of(act, *, library=""):
    """A target whose input 3 of seed 1 does something, and whose others do nothing."""
    third = random.Random("1 odd 3").random()

    def make(rng, folder):
        run = act if rng.random() == third else lambda: None
        return Trial(run, lambda error: False, b"content")

    return Target("odd", 1, make, library)


def take_memory():
    np.ones(3 << 27)


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (lambda: {}["x"], "KeyError: 'x'"),
        (lambda: check_result(np.array([np.nan])), "not finite"),
        (lambda: np.log(np.zeros(1)), "RuntimeWarning"),
        (take_memory, "asked for more than 1,073,741,824 bytes"),
        (lambda: os.kill(os.getpid(), 11), "the process died: SIGSEGV"),
        (lambda: os._exit(3), "the process died: 3"),
    ],
    ids=["foreign", "infinite", "warning", "memory", "crash", "exit"],
)
@pytest.mark.parametrize("library", ["", "other"])
def test_what_goes_wrong_is_recorded_and_the_rest_goes_on(
    run_all, act, outcome, library
):
    target = target_of(act, library=library)
    outcomes, failures = run_all([target], 10)
    ((name, case, text),) = failures
    assert (name, case) == ("odd", 3)
    assert outcome in text
    assert outcomes.tallies["odd"].counts["failed"] == 1
    assert outcomes.n_inputs == 10
    is_crash = "died" in outcome or "asked" in outcome
    assert outcomes.failures[0].is_library == (is_crash and library != "")


def test_an_input_that_takes_too_long_is_a_failure():
    def wait():
        while True:
            pass

    outcome, text = attempt(Trial(wait, lambda error: True, b""), 0.05)
    assert (outcome, text) == (FAILED, "took more than 0.05 seconds")


def test_errors_are_right_if_pbow_has_written_them():
    def outcome_of(call, *kinds):
        trial = Trial(call, lambda error: is_own_error(error, *kinds), b"")
        return attempt(trial)[0]

    assert outcome_of(lambda: check_diagrams(3), ValueError) == REFUSED
    assert outcome_of(lambda: check_diagrams(3), TypeError) == FAILED
    assert outcome_of(lambda: np.zeros(2).reshape(3), ValueError) == FAILED
    assert outcome_of(lambda: check_diagrams([[[0, 1]]]), ValueError) == READ


def test_warnings_of_pbow_are_right():
    trial = Trial(
        partial(warn_user, "few", FewerWordsWarning), lambda error: False, b""
    )
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert attempt(trial) == (READ, "")


def test_an_error_without_the_name_of_the_file_is_a_failure(tmp_path):
    (tmp_path / "sound").mkdir()
    (target,) = file_targets(tmp_path / "sound", ["names"])
    trial = make_trial(target, 0, 0, tmp_path)
    assert trial.accepts(FileFormatError(tmp_path / "names.txt", "x"))
    assert not trial.accepts(FileFormatError("elsewhere", "x"))
    assert not trial.accepts(ValueError(str(tmp_path / "names.txt")))


def content_of(target, seed, case, folder):
    content = make_trial(target, seed, case, folder).content
    if isinstance(content, bytes):
        return content
    return re.sub("at 0x[0-9a-f]+", "somewhere", content())


def test_the_same_seed_gives_the_same_inputs(tmp_path):
    (tmp_path / "sound").mkdir()
    for target in (*file_targets(tmp_path / "sound", ["npz"]), object_targets()[0]):
        contents = [
            [content_of(target, seed, case, tmp_path) for case in range(20)]
            for seed in (1, 1, 2)
        ]
        assert contents[0] == contents[1] != contents[2]


def test_the_command_repeats_one_input_and_writes_a_report(tmp_path):
    def fuzz(*options):
        command = [sys.executable, "-m", "fuzzing", "--seed", "5", "--only", "names"]
        kept = ["--kept", str(tmp_path / "kept")]
        done = subprocess.run(
            [*command, *kept, *options],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    report = tmp_path / "report.json"
    said = fuzz("--count", "20", "--report", str(report))
    assert "seed 5" in said
    assert "20 inputs" in said
    written = json.loads(report.read_text("utf-8"))
    assert (written["inputs"], written["failures"], written["seed"]) == (20, 0, 5)
    assert sum(written["targets"]["names"][k] for k in ("read", "refused")) == 20
    outcome = fuzz("--case", "names:3").splitlines()[-1]
    assert outcome in ("read", "refused")
    assert (tmp_path / "kept" / "names-5-3").exists()
