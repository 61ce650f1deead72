"""Settings of Sphinx."""

from importlib import metadata

project = "pbow"
author = "The pbow developers"
copyright = author
version = release = metadata.version("pbow")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]
# Scripts of examples/ are run, and their pictures shown.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "abort_on_example_error": True,
}
# A reference that leads nowhere is a warning, and warnings are errors.
nitpicky = True

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

# Members stand on the page of their module; tables at its top name them.
autosummary_generate = False
numpydoc_show_class_members = False
autodoc_typehints = "none"

html_theme = "pydata_sphinx_theme"
html_title = project
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}
# Pages without others under them need no list of those.
alone = "index get_started defaults reproduction benchmarks file_formats architecture"
alone += " contributing changelog"
html_sidebars = {page: [] for page in alone.split()}
html_show_sourcelink = False
html_copy_source = False
