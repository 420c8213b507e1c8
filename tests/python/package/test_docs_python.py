"""The Python that the documentation shows runs, and prints what is shown.

The ```python blocks of a page run in order, with the names of those before, in a folder with the examples. In a
block, lines that are only a comment are what it prints, all of it (`# ...` stands for any lines). A block
without such lines may print anything.
"""

import contextlib
import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, ROOT

pytest.importorskip("sdfgopt", reason="the package is not installed")
pytest.importorskip("numpy")
pytest.importorskip("dace")

pytestmark = [pytest.mark.dace, pytest.mark.filterwarnings("ignore")]

PYTHON = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
COMMENT = re.compile(r"^ *# (.*)\n", re.M)


def blocks(page: Path) -> Iterator[tuple[int, str]]:
    """The line of each, and its code."""
    text = page.read_text()
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def pattern(shown: list[str]) -> str:
    return "".join(r"(?:.*\n)*" if line == "..." else re.escape(line.rstrip()) + r"[ \t]*\n" for line in shown)


def run_blocks(page: Path, names: dict[str, Any], *, gt4py: bool) -> int:
    """Those with GT4Py, or the others; how many there are."""
    count = 0
    for line, code in blocks(page):
        if ("sdfgopt.gt4py" in code) != gt4py:
            continue
        count += 1
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            # In its place in the page, so that a failure names that.
            exec(compile("\n" * (line - 1) + code, page, "exec"), names)
        shown, printed = COMMENT.findall(code), out.getvalue()
        if shown and not re.fullmatch(pattern(shown), printed.rstrip() + "\n"):
            pytest.fail(f"{page.name}:{line} prints\n{printed}\nbut the page shows\n" + "\n".join(shown))
    return count


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages show files by their names only."""
    for path in EXAMPLES.glob("*.sdfg*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", [ROOT / "README.md", PYTHON], ids=lambda page: page.name)
def test_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dace.transformation.passes import simplify

    # A page adds ours to them.
    monkeypatch.setattr(simplify, "SIMPLIFY_PASSES", list(simplify.SIMPLIFY_PASSES))
    assert run_blocks(page, {"__name__": "page"}, gt4py=False) > 0


def test_what_is_not_printed_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for shown, fine in (("1\n# 2", True), ("1\n# ...", True), ("...\n# 2", True), ("1", False), ("2\n# 1", False)):
        page.write_text(f"```python\nprint(1)\nprint(2)\n# {shown}\n```\n")
        with contextlib.nullcontext() if fine else pytest.raises(pytest.fail.Exception, match="page.md:2 prints"):
            assert run_blocks(page, {}, gt4py=False) == 1


# --- GT4Py (README's block is run by test_gt4py.py) ---


def lowered(program: Any, connectivities: dict[str, Any]) -> Any:
    """Its SDFG as GT4Py's optimiser gets it."""
    from gt4py.next import backend
    from gt4py.next.otf import arguments, stages
    from gt4py.next.program_processors.runners.dace.workflow import factory

    given = arguments.CompileTimeArgs(
        args=tuple(param.type for param in program.past_stage.past_node.params), kwargs={},
        offset_provider=connectivities, column_axis=None, argument_descriptor_contexts={})
    translate = factory.make_dace_translator(factory.DaCeConfig(auto_optimize=False))
    compilable = backend.DEFAULT_TRANSFORMS(stages.ConcreteProgramDef(data=program.definition_stage, args=given))
    return translate.generate_sdfg(
        compilable.data, compilable.args.offset_provider, compilable.args.column_axis)


def test_gt4py(monkeypatch: pytest.MonkeyPatch) -> None:
    """One program is compiled; the toolchains of the first block are only made."""
    pytest.importorskip("gt4py", reason="GT4Py is not installed")
    import gt4py.next as gtx
    from gt4py.next import config
    from gt4py.next.otf import runners
    from gt4py.next.program_processors.runners.dace import transformations
    from gt4py.next.program_processors.runners.dace.workflow import factory

    import gt4py_runs as runs
    from programs import K, pressure_gradient

    # As in test_gt4py.py: one process, and a quick build.
    monkeypatch.setenv("CXXFLAGS", runs.FLAGS)
    monkeypatch.setattr(config, "CMAKE_BUILD_TYPE", config.CMakeBuildType.DEBUG)
    monkeypatch.setattr(config, "BUILD_JOBS_MODE", config.BuildJobsMode.SERIAL)
    runners.reset_default_runner()
    sdfg = lowered(pressure_gradient, runs.connectivities())
    names = {"DaCeConfig": factory.DaCeConfig, "GT4PyAutoOptHook": transformations.GT4PyAutoOptHook, "K": K,
             "connectivities": runs.connectivities(), "gt_auto_optimize": transformations.gt_auto_optimize,
             "gtx": gtx, "program": pressure_gradient, "sdfg": sdfg}
    try:
        assert run_blocks(PYTHON, names, gt4py=True) > 0
    finally:
        runners.reset_default_runner()
    assert runs.copies(names["fast"]) == ["exner -> perturbation"]
    assert runs.verdicts(names["watched"]) == ["eliminated"] * 2  # in what was compiled, and in `sdfg`
    assert "gtir_tmp_2" not in sdfg.arrays
