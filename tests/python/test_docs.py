"""What the documentation shows is what happens.

In ```sh blocks of README.md and docs/*.md, lines that start with `$ ` are commands, and the lines below
are their output, if any are shown (`...` on a line of its own stands for any lines). The commands of one
page run one after the other in a copy of the project's root, with `sdfg-opt` being the built one.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support import ROOT, SDFG_OPT


@dataclass
class Command:
    page: str
    line: int
    text: str
    output: list[str] = field(default_factory=list)


def commands(page: Path) -> list[Command]:
    found: list[Command] = []
    inside = continued = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.strip().startswith("```"):
            inside = line.strip() == "```sh"
            shown = False  # no output belongs to a command of another block
        elif inside and continued:
            found[-1].text += "\n" + line
            continued = line.endswith("\\")
        elif inside and line.startswith("$ "):
            found.append(Command(page.name, number, line[2:]))
            continued, shown = line.endswith("\\"), True
        elif inside and shown:
            found[-1].output.append(line)
    return found


def pattern(output: list[str]) -> str:
    return "".join(r"(?:.*\n)*" if line == "..." else re.escape(line.rstrip()) + r"[ \t]*\n" for line in output)


PAGES = [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if p.exists() and commands(p)]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_page(page: Path, tmp_path: Path) -> None:
    root, programs = tmp_path / "root", tmp_path / "bin"
    root.mkdir()
    programs.mkdir()
    (programs / "sdfg-opt").symlink_to(SDFG_OPT)
    for entry in ROOT.iterdir():
        if entry.name == "examples":
            shutil.copytree(entry, root / entry.name)
        elif not entry.name.startswith("."):
            (root / entry.name).symlink_to(entry)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    for command in commands(page):
        done = subprocess.run(["bash", "-c", command.text], cwd=root, env=environment, capture_output=True,
                              text=True, timeout=120)
        where = f"{command.page}:{command.line}: {command.text}"
        printed = done.stdout if done.returncode == 0 else done.stdout + done.stderr
        shown = list(command.output)
        while shown and not shown[-1].strip():
            shown.pop()
        if not shown:
            assert done.returncode == 0, f"{where}\n{printed}"
        elif not re.fullmatch(pattern(shown), printed.rstrip() + "\n"):
            pytest.fail(f"{where}\nprinted:\n{printed}\nbut the page shows:\n" + "\n".join(shown))


def test_pattern() -> None:
    assert re.fullmatch(pattern(["a (b)", "...", "c"]), "a (b)\nx\ny\nc\n")
    assert re.fullmatch(pattern(["a", "..."]), "a\n")
    assert not re.fullmatch(pattern(["a", "c"]), "a\nb\n")
