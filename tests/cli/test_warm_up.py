from pathlib import Path

from pbow import compilation


def test_the_command_says_where_the_cache_is(run, tmp_path, monkeypatch):
    # What it compiles is tested beside the function: it takes minutes.
    (tmp_path / "kmeans.nbc").write_bytes(bytes(2000))
    calls = []

    def warm_up(*, progress):
        calls.append(progress)
        return Path(tmp_path)

    monkeypatch.setattr(compilation, "warm_up", warm_up)
    result = run("warm-up")
    assert calls == [False]
    assert f"The compiled loops are in {tmp_path} (" in result.stdout
    assert result.stderr == ""
