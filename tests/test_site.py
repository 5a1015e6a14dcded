"""The documentation site: every public name, every picture, pages that do what they say.

The build itself (`make docs`) turns every warning of Sphinx into an error and looks at the pages
in a browser; here is what it cannot know: that nothing is left out, and that the looking sees.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lccmodel
import proofs_check
from lccmodel.ground.views import Viewed
from lccmodel.show.style import png_bytes

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "docs" / "site"))

check = importlib.import_module("check")

GALLERY = (ROOT / "docs" / "gallery.md").read_text()

PARTS = {
    "draw_idle_links": "of every network",
    "draw_links_by_dimension": "of every network",
    "draw_loaded_channels": "of every network with loads",
    "draw_channel": "of every path",
    "draw_nodes": "of every network",
    "draw_heat": "of `draw_loads`",
    "draw_panels": "of `draw_self_routing`",
    "draw_matrix": "of `Traffic.plot`",
    "draw_times": "of `Fit.plot`",
}
"""Functions that draw a part of a picture, and of which."""


def test_every_public_name_is_in_the_reference():
    """The names of every package's `dir` against the directives of the generated pages."""
    pages = pytest.importorskip("sphinx") and importlib.import_module("pages")
    written = {path: text for path, text in pages.api().items() if path not in ("api/index.rst",)}
    entries = re.findall(r"^\.\. auto\w+:: (\S+)$", "\n".join(written.values()), flags=re.M)
    assert len(entries) == len(set(entries))
    documented = {id(resolved(entry)) for entry in entries}
    listed = pages.api()["api/index.rst"]
    packages = [lccmodel, proofs_check]
    for top in tuple(packages):
        found = pkgutil.walk_packages(top.__path__, top.__name__ + ".")
        packages += [importlib.import_module(each.name) for each in found if each.ispkg]
    missing = []
    for package in packages:
        for name in getattr(package, "__all__", ()):
            value = getattr(package, name)
            if not inspect.ismodule(value) and id(value) not in documented:
                missing.append(f"{package.__name__}.{name}")
            assert f".{name}`" in listed, name
    assert not missing


NO_EXAMPLE = {"lccmodel.cli.main": "it reads the words of the command line and ends the process"}


def test_every_public_docstring_has_an_example():
    """Of a function its own; of a class its own or that of a member."""
    from_package = importlib.import_module("public_names").public_names()
    lacking = {
        public.path
        for public in from_package
        if public.kind in ("class", "function")
        and not any(">>>" in text for text in docstrings_of(public.value))
    }
    assert lacking == set(NO_EXAMPLE)


def docstrings_of(value: object) -> list[str]:
    found = [value.__doc__]
    if inspect.isclass(value):
        members = (member for name, member in vars(value).items() if not name.startswith("_"))
        found += [getattr(member, "__func__", member).__doc__ for member in members]
    return [text for text in found if text]


def resolved(path: str) -> object:
    """What a dotted path names."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def test_the_gallery_has_every_picture():
    """Every function `draw_...` and `..._frames` of the package, but for parts of pictures."""
    modules = [*ROOT.glob("lccmodel/**/*.py"), ROOT / "proofs_check" / "drawing.py"]
    found = {
        name
        for path in modules
        for name in re.findall(r"^def (draw_\w+|\w+_frames)\(", path.read_text(), flags=re.M)
    }
    assert set(PARTS) <= found
    assert {name for name in found - set(PARTS) if f"{name}(" not in GALLERY} == set()


cuts = importlib.import_module("cuts")


def test_every_notebook_is_a_tutorial_with_a_first_picture():
    listed = re.findall(
        r"^\.\./notebooks/(\w+)$", (ROOT / "docs" / "tutorials.md").read_text(), re.M
    )
    pictures = cuts.first_pictures()
    stems = sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))
    assert sorted(listed) == stems
    assert sorted(pictures) == [f"notebooks/{stem}.png" for stem in stems]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures.values())


def test_no_output_of_a_notebook_is_of_the_machine_that_made_it():
    """No path, no warning: what is stored is what the pages show."""
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell.get("outputs", []):
                texts = [output.get("text", ""), *output.get("data", {}).values()]
                said = "".join("".join(t) for t in texts if isinstance(t, str | list))
                said = re.sub(r"base64,[A-Za-z0-9+/=\s]+", "", said)
                if "image/png" in output.get("data", {}):
                    said = "".join(output["data"].get("text/plain", ""))
                assert check.of_this_machine(said) == [], path.name
                assert output.get("name") != "stderr", path.name


_LEFT = ["/home/me/x.py:3: UserWarning: no", "lib/site-packages/a.py", "/tmp/ipykernel_12/3.py"]
_INNER = ["kind: ~typing.Literal['a']", "key=<function <lambda> at 0x7f>", "<lcc.X object at 0x7f>"]


@pytest.mark.parametrize("text", _LEFT + _INNER)
def test_what_a_machine_leaves_is_seen(text):
    assert check.of_this_machine(text)
    assert not check.of_this_machine("/x/y, a path of the reader; `lccmodel report out/`")


@pytest.mark.slow
def test_the_gallery_has_every_view(monkeypatch):
    """Its cells are run: `plot` is called on a result of every kind, no picture is there twice."""
    from lccmodel.show.view_registry import VIEWS

    seen, plot = set(), Viewed.plot

    def noted(self: Viewed, ax: object = None) -> object:
        seen.add(self._view)
        return plot(self, ax)

    monkeypatch.setattr(Viewed, "plot", noted)
    monkeypatch.chdir(ROOT / "docs")
    cells = re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", GALLERY, flags=re.DOTALL)
    names: dict[str, object] = {}
    drawn: dict[str, str] = {}
    for cell in cells:
        for node in ast.parse(cell.replace("%matplotlib inline", "")).body:
            if not isinstance(node, ast.Expr):
                exec(compile(ast.Module([node], []), "gallery", "exec"), names)
                continue
            shown: Any = eval(compile(ast.Expression(node.value), "gallery", "eval"), names)
            figure = shown.get_figure() if hasattr(shown, "get_figure") else shown
            if hasattr(figure, "savefig"):
                code, picture = ast.unparse(node), png_bytes(figure, 40).hex()
                assert drawn.setdefault(picture, code) == code
    assert seen == set(VIEWS)


def test_the_page_about_claims_says_what_its_claim_says(tmp_path):
    """docs/add_a_claim.md: its module is run by the checker, and the verdict is the page's."""
    page = (ROOT / "docs" / "add_a_claim.md").read_text()
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, flags=re.DOTALL)
    [module] = [text for kind, text in blocks if kind == "python"]
    _, shown = (text for kind, text in blocks if kind == "text")
    (tmp_path / "inverse.py").write_text(module)
    done = subprocess.run(
        [sys.executable, "-m", "proofs_check", "--claims", "inverse", "run", "mine.inverse"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "", "HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout


# -- questions lead to commands and calls that work -----------------------------------------

START = (ROOT / "docs" / "index.md").read_text()
TABLES = "".join((ROOT / name).read_text() for name in ("README.md", "docs/questions.md"))
COMMANDS = re.findall(r"`((?:lccmodel|proofs-check) [^`]+ [^`]+)`", START + TABLES)
CALLS = re.findall(r"`((?:lcc|proofs_check)\.[^`]+\))`", START)
assert len(COMMANDS) > 20
assert len(CALLS) >= 7


@pytest.fixture
def users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the commands name."""
    for name in ("trace.csv", "hosts", "machine.toml"):
        (tmp_path / name).write_text("")
    (tmp_path / "trace.csv").write_bytes((ROOT / "examples" / "trace.csv").read_bytes())
    (tmp_path / "my-programs").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("users_folder")
@pytest.mark.parametrize("line", COMMANDS)
def test_a_question_names_a_command_with_options_that_it_has(line):
    """The words are parsed by the command itself, files included; nothing is run."""
    from lccmodel.cli import cli
    from proofs_check.cli import cli as proofs_cli

    tool, name, *words = shlex.split(line)
    group = {"lccmodel": cli, "proofs-check": proofs_cli}[tool]
    command = group.commands[name]
    command.make_context(name, words)


@pytest.mark.slow
@pytest.mark.usefixtures("users_folder")
@pytest.mark.parametrize("call", CALLS)
def test_a_question_names_a_call_that_works(call):
    assert eval(call, {"lcc": lccmodel, "proofs_check": proofs_check}) is not None


@pytest.mark.parametrize(
    ("typed", "set_as"),
    [
        ("T ≥ 2^(n-1-rank A)", "T ≥ 2{n-1-rank A}"),
        ("2^(i − rank A_(L_(i+1),L_i))", "2{i − rank A[L[i+1],L[i]]}"),
        ("2·2^⌊i/2⌋ and ⟨2,1⟩_1, T_pi", "2·2{⌊i/2⌋} and ⟨2,1⟩[1], T[pi]"),
        ("max_n, at_most and a ^ b", "max_n, at_most and a ^ b"),
    ],
)
def test_powers_and_indices_are_set(typed, set_as):
    """Above the line {}, below it []; names of programs stay as they are."""

    def said(node: Any) -> str:
        inside = "".join(map(said, node.children)) if node.children else node.astext()
        return {"superscript": f"{{{inside}}}", "subscript": f"[{inside}]"}.get(
            type(node).__name__, inside
        )

    assert "".join(map(said, cuts.set_formula(typed))) == set_as


# -- the checker of the site is no flatterer ------------------------------------------------

GOOD = '<!doctype html><meta name="viewport" content="width=device-width"><p id="top">'


def faults_of(site: Path) -> list[str]:
    return list(check.dead(site))


def test_a_good_site_has_no_faults(tmp_path):
    (tmp_path / "a.html").write_text(f'{GOOD}<a href="b.html#top">b</a>')
    (tmp_path / "b.html").write_text(f'{GOOD}<a href="https://example.org">elsewhere</a>')
    assert faults_of(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="none.html">x</a>', "dead link none.html"),
        ('<a href="a.html#none">x</a>', "no such place a.html#none"),
        ('<img src="none.png" alt="x">', "dead link none.png"),
        ('<img src="a.html">', "picture without words"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
        ("<p>$\\displaystyle T \\ge 1$</p>", "formula that is not drawn"),
        ("<p>kind: ~typing.Literal</p>", "~typing.Literal"),
        ("<p>key=&lt;lambda&gt;</p>", "<lambda>"),
    ],
)
def test_a_fault_is_found_in_the_files(tmp_path, body, fault):
    (tmp_path / "a.html").write_text(GOOD + body)
    assert any(fault in each for each in faults_of(tmp_path))
