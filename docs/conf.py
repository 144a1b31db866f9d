"""The documentation site: ``make docs`` builds it into docs/_build/html, offline."""

import os

import boca

# Pages show what scripts print, not what libraries say about this machine.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

project = "boca"
author = "the boca developers"
release = boca.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "conf.py", "screenshots"]
templates_path = ["_templates"]

# Pages are Markdown that reads well without a site, too: relative links, headings as anchors.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
# Links to files of the repository outside docs/ are for readers of the repository.
suppress_warnings = ["myst.xref_missing"]

autosummary_generate = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

# Scripts that have not changed since the last build are not run again.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,  # that page would load its table from elsewhere
}

copybutton_prompt_text = "$ "
html_theme = "furo"
html_title = "boca"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5d8c", "color-brand-content": "#1d5d8c"},
    "dark_css_variables": {"color-brand-primary": "#7fb8e0", "color-brand-content": "#7fb8e0"},
}


def setup(app):
    """Tables in pages need no colours of their own."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("csv", TextLexer)
