"""Pages of the root, .github/, docs/ and examples/: what they link to and the files that they name exist."""

from __future__ import annotations

import fnmatch
import pathlib
import re
import runpy

import harness
import pytest
from test_cli import prints

import tvmq_delegate

ROOT = harness.REPOSITORY
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in (".github", "docs", "examples") for page in (ROOT / folder).rglob("*.md"))])
FOLDERS = ("android", "delegate", "docs", "examples", "python", "tests", "tools")
ENDING = r"\.(c|h|hpp|def|py|md|ini|toml|html|build|options|map|in)$"


def prose(page: pathlib.Path) -> str:
    """Without blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: pathlib.Path) -> set[str]:
    """Anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(name: str, *folders: pathlib.Path) -> bool:
    return any(any(folder.glob(name)) if "*" in name else (folder / name).exists() for folder in folders)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: pathlib.Path) -> None:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"\w+:", link):
            continue  # not of this repository
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_are_named_exist(page: pathlib.Path) -> None:
    """A name with a folder is looked for from the root, delegate/, tests/ and the Python package; one without, anywhere in the repository."""
    spans = {span for span in re.findall(r"`([^`\n]+)`", prose(page)) if re.fullmatch(r"[\w.*/-]+", span)}
    inside = {span for span in spans if "/" in span and (span.split("/")[0] in FOLDERS or re.search(ENDING, span))}
    anywhere = {span for span in spans - inside if "/" not in span and re.search(ENDING, span)}
    names = [path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*")] + [path.name for path in ROOT.iterdir()]
    missing = [span for span in inside if not exists(span, ROOT, ROOT / "delegate", ROOT / "tests", ROOT / "python/tvmq_delegate")]
    assert not missing + [span for span in anywhere if not fnmatch.filter(names, span)]


def test_the_readme_names_the_packages_of_a_fresh_system() -> None:
    """In the words that tools/fresh looks for."""
    assert {"git", "make", "gcc", "python3-venv"} <= {*runpy.run_path(str(ROOT / "tools/fresh"))["packages"]()}


def recipe(page: str, heading: str) -> list[pathlib.Path]:
    """The files of the first table under a heading."""
    table = (ROOT / page).read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("|---|---|\n")[2].partition("\n\n")[0]
    return [ROOT / name for name in re.findall(r"^\| `([\w./]+)` \|", table, re.MULTILINE)]


def test_the_recipe_for_an_instruction_set_names_its_files() -> None:
    """Each file of the recipe names every instruction set but plain C."""
    isas = re.findall(r'^    {"(\w+)", TVMQ_CPU', (ROOT / "delegate/cpu/cpu.c").read_text(encoding="utf-8"), re.MULTILINE)
    files = recipe("docs/kernels.md", "Adding an instruction set")
    assert len(isas) >= 8 and len(files) >= 8
    assert not [(isa, file.name) for file in files for isa in isas if isa not in file.read_text(encoding="utf-8").lower()]


def test_the_recipe_for_a_family_names_its_files() -> None:
    """Each file of the recipe names every family; types of one family, pools, stations of Winograd and kernels of float32 may
    share a name.
    """
    families = re.findall(r'^  FAMILY\(\w+, "(\w+)"\)', (ROOT / "delegate/kernels/kernel.h").read_text(encoding="utf-8"), re.MULTILINE)
    files = recipe("docs/kernels.md", "Adding a family")
    assert len(families) >= 13 and len(files) >= 5
    missing = []
    for file in files:
        text = file.read_text(encoding="utf-8").lower()
        missing += [
            (family, file.name)
            for family in families
            if not any(name in text for name in (family, re.sub(r"_s\d+$|^\w+_(?=pool)|(?<=winograd)_\w+$", "", re.sub(r"^float_\w+", "float", family))))
        ]
    assert not missing


def test_the_recipe_for_an_operator_names_its_files() -> None:
    """Each file of the recipe names every operator."""
    operators = re.findall(r"^TVMQ_OPERATOR\((\w+),", (ROOT / "delegate/operators/operators.def").read_text(encoding="utf-8"), re.MULTILINE)
    files = recipe("CONTRIBUTING.md", "Adding an operator")
    assert len(operators) >= 12 and len(files) >= 2
    assert not [(operator, file.name) for file in files for operator in operators if not re.search(rf"\b{operator}\b", file.read_text(encoding="utf-8"))]


def test_the_site_has_every_page() -> None:
    """mkdocs.yml lists the pages of docs/, but for decisions, which have a page that lists them."""
    listed = set(re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == {page.name for page in (ROOT / "docs").glob("*.md")} | {"decisions/README.md"}


def snippets(page: pathlib.Path) -> str:
    """The Python of a page, one block after the other."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_python_of_a_page_runs(page: pathlib.Path, one_conv: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder with model.tflite, given an image of its size, and records of tuning."""
    code = snippets(page)
    if "compiled_model" in code and harness.SANITIZED:
        pytest.skip("LiteRT loads its plugins by RTLD_DEEPBIND, at which a sanitizer ends the process")
    runtimes = tvmq_delegate.binding.runtimes.installed()
    if "ai_edge_litert" in code and tuple(map(int, runtimes.get("ai_edge_litert", "0.0").split(".")[:2])) < (2, 2):
        pytest.skip("it needs LiteRT 2.2 or newer")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.tflite").write_bytes(one_conv.read_bytes())
    if "out=" not in code:
        (tmp_path / "mine.jsonl").touch()
    (sample,) = tvmq_delegate.inputs.random(tvmq_delegate.inputs.describe("model.tflite"))
    names = {"tvmq_delegate": tvmq_delegate, "image": sample.load()[0]}
    exec(compile(code, str(page), "exec"), names)


def test_what_the_site_quotes_exists() -> None:
    quoted = [name for page in PAGES for name in re.findall(r'^--8<-- "(.+)"$', page.read_text(encoding="utf-8"), re.MULTILINE)]
    assert len(quoted) >= 3 and all((ROOT / name).is_file() for name in quoted)


def test_the_reference_has_every_public_name() -> None:
    page = (ROOT / "docs/api-python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^::: tvmq_delegate\.(\w+)$", page, re.MULTILINE))
    assert listed | {"inputs"} == set(tvmq_delegate.__all__)


def test_the_estimates_that_are_shown_are_those_of_today(networks: pathlib.Path) -> None:
    """Nothing is measured for them, so that they are the same everywhere."""
    model = networks / "kws_ref_model.tflite"
    if not model.exists():
        pytest.skip(f"there is no {model}")
    shown = (ROOT / "docs/tools.md").read_text(encoding="utf-8").partition("$ tvmq estimate kws_ref_model.tflite\n")[2].partition("\n...")[0]
    printed = prints("estimate", model)
    assert [line.split() for line in shown.splitlines()[1:]] == [line.split() for line in printed.splitlines()[1 : len(shown.splitlines())]]
