"""The words that lead to a page: main entries of the index, which the search lists first.

Sphinx ranks a page by its title and counts a word in the text only once. A page that explains a
word without having it in its title is therefore listed behind functions with that name.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

TERMS: dict[str, tuple[str, ...]] = {
    "docs/booksim": ("booksim",),
    "docs/collective_algorithms": ("allgather", "broadcast", "reduce-scatter"),
    "docs/collectives": ("allreduce",),
    "docs/fat_trees": ("fat tree",),
    "docs/formats": ("csv", "otf2"),
    "docs/networks": ("infiniband", "torus"),
    "docs/task_collectives": ("allreduce", "nvlink"),
    "docs/task_dragonfly": ("cray", "dragonfly"),
    "docs/task_lecture": ("bit reversal",),
    "docs/task_nccl": ("nccl",),
    "docs/task_slurm": ("hostfile", "slurm"),
    "docs/task_trace": ("rank file", "rankfile", "trace"),
    "docs/wormhole": ("latency", "throughput"),
    "examples/README": ("trace",),
}
"""The terms of a page, in small letters. `check.py` searches for each in the built site."""


def add_terms(app: Sphinx, doctree: nodes.document) -> None:
    """Give a page its entries of the index."""
    entries = [("single", term, "", "main", None) for term in TERMS.get(app.env.docname, ())]
    if entries:
        next(doctree.findall(nodes.section)).append(addnodes.index(entries=entries))


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to Sphinx."""
    app.connect("doctree-read", add_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
