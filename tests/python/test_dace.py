"""DaCe reads what sdfg-opt writes, finds it valid, and would have written the same bytes."""

import ast
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, SHARED, FileTest, filetests, programs, sdfg_opt

dace = pytest.importorskip("dace")

pytestmark = pytest.mark.dace

HASH = re.compile(r',?"hash":"\w*"')
NUMBER = re.compile(r'"cfg_list_id":\d+')
CODE = re.compile(r'("branches":\[\[{"string_data":"|"__\w+_extent_\d+":")([^"]*)')  # of guards
PROGRAMS = [p for folder in (EXAMPLES, SHARED / "cases", SHARED / "corpus") for p in programs(folder)]
MODES = pytest.mark.parametrize("options", [[], ["--assume-pointwise"]], ids=["proved", "assume_pointwise"])


def check_loads(path: Path) -> Any:
    """A warning is a failure: DaCe drops what it does not understand with no more than that."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Use of uninitialized transient")
        sdfg = dace.SDFG.from_file(path)
        sdfg.validate()
    return sdfg


def with_guards_told_alike(text: str) -> str:
    """A guard is a block that DaCe has not numbered yet, with code that it would put into parentheses."""
    return NUMBER.sub("", CODE.sub(lambda match: match[1] + ast.unparse(ast.parse(match[2])), text))


def check_written_alike(path: Path) -> None:
    saved = path.with_suffix(".dace.sdfg")
    check_loads(path).save(saved)
    if path.read_bytes() != saved.read_bytes():
        ours, theirs = (HASH.sub("", p.read_text()) for p in (path, saved))  # where the hash is all that differs,
        if '"label":"guard_' in ours:  # all the better
            ours, theirs = with_guards_told_alike(ours), with_guards_told_alike(theirs)
            if ours == theirs:
                return
        at = next((k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b), 0)
        pytest.fail("\n".join(f"{who}: ...{text[max(0, at - 200):at + 100]}..."
                              for who, text in (("sdfg-opt", ours), ("DaCe", theirs))))


@MODES
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.name)
def test_program(path: Path, options: list[str], tmp_path: Path) -> None:
    result = tmp_path / "after.sdfg"
    sdfg_opt("optimize", path, *options, "-o", result, "-q")
    check_written_alike(result)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.name)
def test_through_text(path: Path, tmp_path: Path) -> None:
    text, back = tmp_path / "program.sdfgt", tmp_path / "back.sdfg"
    sdfg_opt("convert", path, text)
    sdfg_opt("convert", text, back)
    check_loads(back)


@pytest.mark.parametrize("test", [t for t in filetests() if t.verb == "optimize"], ids=lambda t: t.name)
def test_filetest(test: FileTest, tmp_path: Path) -> None:
    """From the input as DaCe writes it; what DaCe does not read says nothing."""
    source, read, written, after = (tmp_path / name for name in ("input.sdfgt", "read.sdfg", "in.sdfg", "after.sdfg"))
    source.write_text(test.input)
    sdfg_opt("convert", source, read)
    try:
        check_loads(read).save(written)
        check_written_alike(written)
    except (Exception, pytest.fail.Exception) as error:
        pytest.skip(f"the input: {type(error).__name__}: {str(error)[:200]}")
    sdfg_opt("optimize", written, *test.options, "-o", after, "-q")
    check_written_alike(after)
