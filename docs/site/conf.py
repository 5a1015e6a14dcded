"""The documentation site: `make docs` builds it, `make docs-open` shows it.

Sphinx reads the pages where they stand, so a link that works in the repository works on the site.
What can be written from the package is: the API reference, the commands, the papers' claims
(`pages.py`); formulas become MathML (`mathml.py`), so no page loads anything from elsewhere.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(HERE)]

import lccmodel  # noqa: E402 - found by the line above

project = "lccmodel"
author = "The lccmodel founders"
release = version = lccmodel.__version__

extensions = [
    "sphinx.ext.autodoc",
    "docstrings",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "mathml",
    "cuts",
    "index_terms",
    "pages",
]

root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/how_to/*.md",
    "docs/generated/**",
    "notebooks/*.ipynb",
    "examples/README.md",
    "examples/mpi/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
exclude_patterns = [".*", "out", "lccmodel", "proofs_check", "tests", "**.ipynb_checkpoints"]
suppress_warnings = [
    "myst.header",
    "ref.python",  # `Task` in a signature may be a schedule's or a program's on MPI
]

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks show the outputs that `make notebooks` can make again
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # a cell may compile for more than 30 s on a busy machine
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # a page loads nothing from other hosts

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True  # as they are written, not <function <lambda>>
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"lccmodel {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_favicon = str(HERE / "static" / "favicon.svg")
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False  # the licence says whose it is
html_math_renderer = "mathml"
html_theme_options = {"top_of_page_buttons": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
pygments_style = "friendly"
# A page that runs has an empty line at the end of its examples.
highlight_options = {key: {"stripnl": True} for key in ("python", "pycon", "default")}
