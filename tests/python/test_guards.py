"""Programs with guards (`optimize --guard`): DaCe finds them valid and compiles them, they give what the original
gives on both sides of the condition, and the buffer is allocated only in the branch that uses it."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import FILETESTS, filetests, sdfg_opt

dace = pytest.importorskip("dace")

pytestmark = pytest.mark.dace

GUARDS = {t.path.stem: t.input for t in filetests() if t.path.parent == FILETESTS / "write_back_elimination" / "guards"}

TWO_DIMENSIONS = """sdfg two_dimensions {
  array a: float64[N, M]
  array b: float64[1]
  array G: float64[N, M]
  transient array T: float64[N, Max(0, -s + Max(eh, el))]
  symbol N: int32
  symbol M: int32
  symbol s: int32
  symbol eh: int32
  symbol el: int64
  state before {
    n0 a
    n1 tasklet copy (x = n0 a[0, 0]) -> (y = n2 G[0, 0]) { y = x }
    n2 G
  }
  state define {
    n0 map define [i = 0..N - 1, j = s..Max(eh, el) - 1] exit n2 {
      n1 tasklet add (x = n3 a[i, j]) -> (y = n4 T[i, j - s]) { y = x + 1.0 }
    }
    n3 a
    n4 T
  }
  branch choose {
    if `N > 2` {
      state use {
        n0 a
        n1 tasklet twice (x = n0 a[1, 0]) -> (y = n2 b[0]) { y = x * 2.0 }
        n2 b
      }
    }
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..N - 1, 0..eh - s - 1] -> [0..N - 1, s..eh - 1]
  }
  before -> define
  define -> choose
  choose -> write_back
}
"""

# Name, text, symbols on both sides of the condition, buffers that are allocated in the other branch.
PROGRAMS = [
    ("two_dimensions", TWO_DIMENSIONS,
     [dict(N=3, M=8, s=1, eh=6, el=4), dict(N=3, M=8, s=1, eh=4, el=6), dict(N=2, M=8, s=1, eh=2, el=7)], ["T"]),
    ("two_buffers_two_conditions", GUARDS["two_buffers_two_conditions"],
     [dict(M=9, n=n, m=m, k=k, l=l) for n, m, k, l in ((5, 3, 6, 2), (3, 5, 6, 2), (5, 3, 2, 6), (3, 5, 2, 6))], ["T", "U"]),
    ("inside_a_loop", GUARDS["inside_a_loop"], [dict(M=9, n=5, m=3, k=3), dict(M=9, n=3, m=5, k=3)], []),
]


def compiled(path: Path, name: str) -> tuple[Any, str]:
    """The program, and its C++."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sdfg = dace.SDFG.from_file(path)
        sdfg.name = name
        sdfg.build_folder = str(path.parent / name)
        sdfg.validate()
        code = sdfg.generate_code()[0].clean_code
        with dace.config.set_temporary("compiler", "cpu", "args", value="-std=c++17 -fPIC -O0 -w"):
            return sdfg.compile(), code


def arguments(sdfg: Any, symbols: dict[str, int]) -> dict[str, Any]:
    generator = np.random.default_rng(1)
    shapes = {n: tuple(int(dace.symbolic.evaluate(e, {dace.symbolic.symbol(k): v for k, v in symbols.items()}))
                       for e in d.shape) for n, d in sdfg.arrays.items() if not d.transient}
    return {n: generator.random(shape) for n, shape in sorted(shapes.items())}


def otherwise(code: str) -> str:
    """What is between the braces of the only `else`."""
    body = code[code.index("} else {") + len("} else {"):]
    depth = 1
    for at, letter in enumerate(body):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth == 0:
            return body[:at]
    raise AssertionError("braces are not in pairs")


@pytest.mark.parametrize("name,text,symbols,allocated", PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_guarded(name: str, text: str, symbols: list[dict[str, int]], allocated: list[str], tmp_path: Path) -> None:
    source, before, after = (tmp_path / f for f in ("program.sdfgt", "before.sdfg", "after.sdfg"))
    source.write_text(text)
    sdfg_opt("convert", source, before)
    assert "\nguarded: " in "\n" + sdfg_opt("optimize", "--guard", before, "-o", after)
    original, _ = compiled(before, name)
    guarded, code = compiled(after, name + "_guarded")
    for values in symbols:
        results = []
        for program in (original, guarded):
            data = arguments(original.sdfg, values)
            used = {k: v for k, v in values.items() if k in program.sdfg.free_symbols}
            program(**data, **used)
            results.append(data)
        for array, expected in results[0].items():
            np.testing.assert_array_equal(results[1][array], expected, err_msg=f"{array} with {values}")
    for buffer in allocated:
        for pattern in (rf"\b{buffer} = new\b", rf"delete\[\]\s*\(?{buffer}\b"):
            assert len(re.findall(pattern, code)) == 1, f"{pattern} in\n{code}"
            assert re.search(pattern, otherwise(code)), f"{pattern} in\n{otherwise(code)}"
