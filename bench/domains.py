"""What becomes of the buffers of programs with run-time domains: `make domains`.

For each program (the examples, and the corpus where it is there): how many transients are copied to
arguments; how many of them are eliminated as it is, under the facts that `explain --facts-out`
proposes, and with `--guard`; and the rule for each one that is kept in all three ways.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "sdfg-opt"
CORPUS = ROOT.parent / "shared" / "corpus"


def remarks(file: Path, *options: str) -> list[dict]:
    command = [PROGRAM, "explain", "--json", *options, file]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["candidates"]


def gone(found: list[dict]) -> set[str]:
    return {remark["buffer"] for remark in found if remark["verdict"] != "kept"}


def proposed(file: Path) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder) / "facts.txt"
        subprocess.run([PROGRAM, "explain", "--facts-out", facts, file], check=True, capture_output=True)
        return remarks(file, "--facts", str(facts))


def main() -> None:
    files = sorted((ROOT / "examples").glob("*.dynamic.sdfg*")) + sorted(CORPUS.glob("*.dynamic.sdfgz"))
    print("| program | copied to arguments | eliminated | with proposed facts | guarded, besides | kept |")
    print("|---|---:|---:|---:|---:|---|")
    total = [0, 0, 0, 0]
    for file in files:
        plain, facts, guarded = remarks(file), proposed(file), remarks(file, "--guard")
        counts = [
            len(plain),
            len(gone(plain)),
            len(gone(facts)),
            sum(remark["verdict"] == "guarded" for remark in guarded),
        ]
        total = [a + b for a, b in zip(total, counts)]
        freed = gone(plain) | gone(facts) | gone(guarded)
        kept = [f"{remark['buffer']}: {remark['rule']}" for remark in plain if remark["buffer"] not in freed]
        print(f"| {file.name.split('.')[0]} | " + " | ".join(map(str, counts)) + f" | {', '.join(kept)} |")
    print("| sum | " + " | ".join(map(str, total)) + " | |")


if __name__ == "__main__":
    sys.exit(main())
