"""The documentation site: ``make docs`` builds it into docs/_build/html, offline."""

import importlib.metadata

project = "boca"
author = "the boca developers"
release = importlib.metadata.version("boca")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "_templates", "conf.py", "screenshots.py"]
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

copybutton_prompt_text = "$ "
html_theme = "furo"
html_title = "boca"
html_static_path = []
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5d8c", "color-brand-content": "#1d5d8c"},
    "dark_css_variables": {"color-brand-primary": "#7fb8e0", "color-brand-content": "#7fb8e0"},
}


def setup(app):
    """Tables in pages need no colours of their own."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("csv", TextLexer)
