from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets import read_raw
from pbow.errors import FileFormatError
from pbow.io import read_images

Image = pytest.importorskip("PIL.Image")

LEVELS = np.array([[0, 255, 0], [255, 0, 255]], dtype=np.uint8)
LARGEST = {"1": 1, "I;16": 65535, "F": 255.0}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("mode", ["1", "L", "I;16", "F", "RGB", "RGBA", "P", "LA"])
def test_pixels_are_the_numbers_of_the_file(mode):
    picture = Image.fromarray(LEVELS)
    if mode == "I;16":
        picture = Image.fromarray(LEVELS.astype(np.uint16) * 257)
    else:
        picture = picture.convert(mode)
    name = "a.tif" if mode == "F" else "a.png"
    picture.save(name)
    [gray] = read_images(name)
    assert gray.dtype.kind in "iuf"  # Pillow 10 has no unsigned 16 bits
    assert_array_equal(gray, LEVELS / 255.0 * LARGEST.get(mode, 255))


def test_bitmaps_are_images():
    Image.fromarray(LEVELS).save("a.bmp")
    assert_array_equal(read_images("a.bmp"), [LEVELS])


def test_files_of_different_bit_depths_are_warned_of():
    Image.new("RGB", (2, 2)).save("8.png")
    Image.fromarray(LEVELS).save("9.png")
    read_images(["8.png", "9.png"])
    Image.fromarray(LEVELS.astype(np.uint16) * 257).save("16.png")
    message = r"8\.png has values up to 255, and 16\.png up to 65535"
    for read in (read_images, partial(read_raw, kind="images")):
        with pytest.warns(UserWarning, match=message):
            read(["8.png", "9.png", "16.png"])


def test_a_color_is_the_mean_of_red_green_and_blue_and_opaque():
    Image.new("RGBA", (2, 2), (30, 60, 0, 7)).save("a.png")
    assert_array_equal(read_images("a.png"), np.full((1, 2, 2), 30.0))


def test_folders_patterns_and_lists_are_read_in_natural_order():
    Path("scans").mkdir()
    for k in (1, 2, 10):
        Image.fromarray(np.full((k, 3), k, np.uint8)).save(f"scans/{k}.png")
    Path("scans/notes.txt").touch()
    for given in ("scans", Path("scans"), "scans/*.png", ["scans"]):
        assert [len(image) for image in read_images(given)] == [1, 2, 10]
    assert [i[0, 0] for i in read_images(["scans/10.png", "scans/1.png"])] == [10, 1]


def test_a_folder_of_folders_is_read_folder_after_folder():
    for k, name in enumerate(("b10", "b2")):
        Path("all", name).mkdir(parents=True)
        Image.fromarray(np.full((2, 2), k, np.uint8)).save(f"all/{name}/a.png")
    assert [image[0, 0] for image in read_images("all")] == [1, 0]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_stacks_of_images(save):
    stack = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
    np.save("a.npy", stack)
    save("b.npz", images=stack, labels=[0, 1])
    for name in ("a.npy", "b.npz"):
        assert_array_equal(read_images(name), stack)
    np.save("one.npy", stack[0])
    assert_array_equal(read_images(["one.npy"]), stack[:1])


def test_a_file_that_is_cut_short_is_named():
    Image.fromarray(np.arange(4000, dtype=np.uint8).reshape(50, 80)).save("a.png")
    data = Path("a.png").read_bytes()
    Path("a.png").write_bytes(data[: len(data) // 2])
    with pytest.raises(FileFormatError, match=r"a\.png: it is cut short, damaged, or"):
        read_images("a.png")


def test_what_is_no_image_is_named():
    Path("a.png").write_text("PNG, no more")
    with pytest.raises(FileFormatError, match=r"a\.png: .*, or not an image"):
        read_images("a.png")
    Path("a.txt").touch()
    with pytest.raises(FileFormatError, match=r"a\.txt: expected one of the"):
        read_images("a.txt")


def test_a_pattern_without_files_and_a_folder_without_images_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"matches the pattern nothing/\*"):
        read_images("nothing/*.png")
    with pytest.raises(FileNotFoundError, match="has no files"):
        read_images(tmp_path)


def test_each_page_of_a_file_is_an_image():
    pages = [Image.new("L", (3, 2), 10 * k) for k in range(3)]
    pages[0].save("stack.tif", save_all=True, append_images=pages[1:])
    assert [int(image.max()) for image in read_images("stack.tif")] == [0, 10, 20]


@pytest.mark.parametrize("dtype", [complex, "U3"])
def test_arrays_of_other_than_real_numbers_are_refused(dtype):
    np.save("a.npy", np.zeros((2, 3), dtype))
    with pytest.raises(FileFormatError, match=r"a\.npy: it is an array of .*, not of"):
        read_images("a.npy")
