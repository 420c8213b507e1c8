"""What the tests share: where things are, how sdfg-opt is called, what a filetest holds."""

import gzip
import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
EXAMPLES = ROOT / "examples"
FILETESTS = ROOT / "tests" / "filetests"
SDFG_OPT = Path(os.environ.get("SDFG_OPT", ROOT / "build" / "sdfg-opt")).resolve()


def sdfg_opt(*arguments: str | Path) -> str:
    """Runs the program, which must end well; its standard output."""
    done = subprocess.run([SDFG_OPT, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"sdfg-opt {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}"
    return done.stdout


def load(path: Path) -> Json:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def programs(folder: Path) -> list[Path]:
    """The .sdfg and .sdfgz files of a folder; none if there is no such folder."""
    return sorted(folder.glob("*.sdfg")) + sorted(folder.glob("*.sdfgz"))


@dataclass
class FileTest:
    """A `.sdfgt` file of the filetests: head, input, expected output (see runner.cpp)."""

    path: Path
    verb: str = ""
    options: list[str] = field(default_factory=list)
    input: str = ""

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FILETESTS).with_suffix(""))


def filetests() -> Iterator[FileTest]:
    for path in sorted(FILETESTS.rglob("*.sdfgt")):
        test = FileTest(path)
        head, lines = [], path.read_text().split("\n----\n")[0].splitlines()
        while lines and lines[0].startswith(";"):
            head.append(lines.pop(0)[1:].strip())
        for word, _, rest in (line.partition(" ") for line in head):
            if word == "test":
                test.verb, *test.options = shlex.split(rest)
        test.input = "\n".join(lines) + "\n"
        yield test
