"""Settings of Sphinx."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "_extensions"))

project = "pbow"
author = "The pbow developers"
copyright = author
version = release = metadata.version("pbow")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "_extensions", "gallery/**/*.ipynb", "gallery/**/*.py"]
# Scripts of examples/ are run, and their figures shown.
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
html_math_renderer = "mathml"

# Only what is typed is copied: no prompts, and no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Members stand on the page of their module; tables at its top name them.
autosummary_generate = False
numpydoc_show_class_members = False
autodoc_typehints = "none"

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["pbow.css"]
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}
# Pages without others under them need no list of those.
html_sidebars = {page: [] for page in ("index", "get_started")}
html_show_sourcelink = False
html_copy_source = False
