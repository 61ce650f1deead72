import re


def test_the_page_has_title_names_and_labels(run, folder):
    files = "model.pbow diagrams.pbow --names names.txt --labels labels.txt"
    result = run(f"explore {files} --title 'My scans' -o x.html")
    assert re.fullmatch(r"x\.html: 12 diagrams, [0-9.]+ MB\n", result.stderr)
    page = (folder / "x.html").read_text(encoding="utf-8")
    assert all(word in page for word in ("My scans", "c11.csv", "few points"))
