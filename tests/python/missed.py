"""Tells where write-back-elimination kept a buffer although moving it would have been right.

    missed.py --seeds 0:1000

Each buffer that was kept is moved by naive.py; if that shows for no values of the symbols, it is counted
by the reason for which it was kept. Where the remark says for which values moving it is right, it must be
right for those: a claim that does not hold is shown as FALSE CLAIM.
"""

import argparse
import collections
import re
import tempfile

import fuzz
import naive
import oracle

ENVIRONMENTS = 4


def right(program, moved, seed):
    """None if nothing can be said, else whether the moved program does the same."""
    told = 0
    for number in range(ENVIRONMENTS):
        for symbols in fuzz.environments(seed + 100 * number, program):
            try:
                meaning = fuzz.Meaning(program, symbols, seed + number)
                meaning.agrees_with_itself(program, range(3, 8))
            except (oracle.CannotRun, oracle.Fault):
                continue
            told += all(symbols[s] >= 2 for s in ("N", "M"))
            try:
                meaning.compare(moved)
            except fuzz.Wrong:
                return False
    return True if told >= 2 else None


NAMES = {"Max": max, "Min": min, "max": max, "min": min, "int_floor": lambda a, b: a // b}


def claim_holds(program, moved, condition, seed):
    """Whether the program means the same for the values that the condition allows."""
    for symbols in fuzz.environments(seed, program):
        try:
            if not eval(condition, dict(NAMES), dict(symbols)):
                continue
            meaning = fuzz.Meaning(program, symbols, seed)
            meaning.agrees_with_itself(program, range(3, 30))
            meaning.compare(moved)
        except (oracle.CannotRun, oracle.Fault, NameError):
            continue
        except fuzz.Wrong:
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:200", metavar="A:B")
    first, last = map(int, parser.parse_args().seeds.split(":"))
    counts, examples = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as directory:
        checker = fuzz.Checker(directory)
        for seed in range(first, last):
            program = fuzz.generate.generate(seed)
            _, remarks, _ = checker.optimize(program)
            for remark in remarks:
                if remark["verdict"] == "eliminated" or "nested SDFG" in remark["reason"]:
                    continue
                try:
                    moved = naive.rewritten(program, remark["buffer"], remark["destination"])
                    verdict = right(program, moved, seed)
                    claim = remark["condition"]
                    if claim and not claim_holds(program, moved, claim, seed):
                        print(f"FALSE CLAIM seed {seed}: {remark['buffer']} -> "
                              f"{remark['destination']} {claim} ({remark['rule']})", flush=True)
                except (naive.CannotRewrite, KeyError):
                    verdict = None
                kind = {None: "unclear", True: "MISSED", False: "rightly kept"}[verdict]
                reason = re.sub(r"'[^']*'|\(?\b[nse]\d+\b\)?", "_", remark["reason"])
                counts[kind, remark["rule"], reason] += 1
                examples[kind, remark["rule"], reason].append(f"{seed}:{remark['buffer']}")
    for key, count in sorted(counts.items(), key=lambda item: (item[0][0], -item[1])):
        print(f"{count:5} {key[0]:12} {key[1]} {key[2]}")
        if key[0] == "MISSED":
            print("      ", *examples[key][:8])


if __name__ == "__main__":
    main()
