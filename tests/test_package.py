"""The package as a whole: public names, light imports, import direction, one version."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import networkx as nx
import pytest

import lccmodel

ROOT = Path(__file__).parent.parent


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'lccmodel' has no attribute 'reordering'$"):
        _ = lccmodel.reordering
    with pytest.raises(AttributeError, match=r"did you mean lccmodel\.wormhole\.simulate\?"):
        _ = lccmodel.simulate


def test_the_version_is_stated_once_and_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == lccmodel.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert f'version: "{lccmodel.__version__}"' in citation


def test_constraints_are_names_and_versions_only():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        name, _, version = line.partition("==")
        assert name
        assert version
        assert not set(":/@ ") & set(line), line


def circles(package_names: list[str]) -> list[list[str]]:
    """Modules that import themselves through others, imports inside functions and for types too."""
    graph = grimp.build_graph(*package_names, cache_dir=None)
    arrows = ((a, b) for a in graph.modules for b in graph.find_modules_directly_imported_by(a))
    parts = nx.strongly_connected_components(nx.DiGraph(arrows))
    return [sorted(part) for part in parts if len(part) > 1]


def test_no_module_imports_itself_through_others():
    assert circles(["lccmodel", "proofs_check"]) == []


def test_a_circle_is_found(tmp_path, monkeypatch):
    """Through an import for types, and one inside a function."""
    package = tmp_path / "roundabout"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from roundabout.b import B\n"
    )
    (package / "b.py").write_text("def f():\n    from roundabout import c\n")
    (package / "c.py").write_text("import roundabout.a\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles(["roundabout"]) == [["roundabout.a", "roundabout.b", "roundabout.c"]]


LAZY = [path.parent for path in sorted(ROOT.glob("lccmodel/**/__init__.pyi"))]


@pytest.mark.parametrize("folder", LAZY, ids=lambda folder: folder.name)
def test_every_name_of_a_stub_is_there(folder):
    """Its names, types and all, are those that the package loads on use; none hides a submodule."""
    package = importlib.import_module(".".join(folder.relative_to(ROOT).parts))
    for name in package.__all__:
        value = getattr(package, name)
        if (folder / f"{name}.py").exists() or (folder / name).is_dir():
            assert value is sys.modules[f"{package.__name__}.{name}"], name
    assert sorted(package.__all__) == sorted(dir(package))


def test_every_test_is_in_one_half_of_make_test():
    """What the second half leaves out stands in the first, and every path of tests in one."""
    command = ["make", "--dry-run", "first-half", "second-half", "CHOSEN=any"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    first, second = (part.split() for part in said.split('-m "any"')[1:])
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    left_out = {word.removeprefix("--ignore=") for word in second if "--ignore" in word}
    assert left_out <= set(first)
    assert set(configured["tool"]["pytest"]["ini_options"]["testpaths"]) <= {*first, *second}
    assert {str(p.relative_to(ROOT)) for p in ROOT.glob("tests/test_*.py")} <= left_out
    assert not left_out & set(second)
