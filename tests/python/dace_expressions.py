"""Tasklet code of all kinds and types, as programs for DaCe and for the interpreter.

An item is the code, from `a` and `b` to `o`, the type of the arrays A and B, that of the output, and WCR or None.
"""

import ast
from typing import Any

import dace
from dace import Memlet

F, F32, I, L, B = dace.float64, dace.float32, dace.int32, dace.int64, dace.bool_
SIZE = 24  # elements of arrays
GROUP = 24  # expressions in one program

Item = tuple[str, Any, Any, str | None]


def _split(text: str) -> list[str]:
    return [f"o = {part.strip()}" for line in text.strip().splitlines() for part in line.split(";")]


_INTEGER = _split("""
    a + b; a - b; a * b; a / (b + 1); a // (b + 1); a % (b + 1); -a // 2; -a % 3; (a - b) // 2; (a - b) / 2; -a; ~a
    a << b; a >> 1; a & b; a | b; a ^ b; a ** 2; a ** 3; abs(a - b); min(a, b); max(a, b); max(a, b, 2); a < b
    a == b; a and b; a or b; not a; a if b > 2 else b; int_floor(a - b, 2); int_ceil(a - b, 2); Mod(a - b, 3); bool(a)
    sign(a - b); a < b < 3; True + a; a == 1 and b or 2; (a > 1) + (b > 1); -7 // 2 + a; -7 % 3 + a; 7 / 2 + a""")
_FLOAT = _split("""
    a + b; a - b; a * b; a / b; a // (b + 20); -a; a ** 2; a ** 3; a ** -1; a ** -2; a ** 0.5; a ** 2.0; abs(a)
    min(a, b); max(a, b); min(a, 1); max(a, b, 2.0); a < b; a == b; a != b; a and b; a or b; not a
    a if b > 2 else b; 1 if a > b else 0; round(a); floor(a); ceil(a); math.ceil(a); math.trunc(a); sqrt(a)
    math.sqrt(a); isnan(a); 1 / a; 3 / 2 * a; a * (1 / 2); a + 7 // 2; a + (-7) // 2; a + (-7) % 3; sign(a)
    math.pi * a; float(a); dace.float32(a); i; i / 2; (i - 7) // 2; (i - 7) % 3; a + i; a * 0.1 + b * 0.7 - 1e-3
    a * a - b * b; (a + b) * (a - b) / (1 + a * a); not (a < b or b < 1); a if a > b and b > 0 else -a""")
_LIBM = _split("""
    exp(a); math.exp(a); log(a); math.log(a); sin(a); cos(a); tan(a); tanh(a); math.tanh(a); pow(a, 2)
    math.pow(a, b); a ** b; 2.0 ** b; math.hypot(a, b); math.cbrt(a); math.fmod(a, b); math.atan2(a, b)
    exp(-a * a) * b""")
_STATEMENTS = [
    "o = a\no += 2\no *= b",
    "t = a * b\no = t + t",
    "t = 0\nfor k in range(3):\n    t += 1\no = a + t",
    "t = 0.0\nfor k in range(3, 0, -1):\n    t += k * a\no = t",
    "t = 1\nwhile t < b and t < 99:\n    t = t * 2\no = t",
    "if a > 1:\n    o = a\nelif a > 0:\n    o = 5\nelse:\n    o = -1",
    "t = 0.0\nif a > b:\n    t = a\nelse:\n    t = b\no = t",
    "o = 0\nfor k in range(5):\n    if k == 3:\n        break\n    if k == 1:\n        continue\n    o = o + k * a",
]
_FLOAT32 = _split("a * b; a * 0.1; a / 3; a * a + b; sqrt(a); exp(a); a ** 3; max(a, b); max(a, 0.5); a + 1")
_INTEGER_TO_FLOAT = _split("""
    a * 0.5; a / 2.0; a / 2; math.sqrt(a); sqrt(a); float(a); dace.float64(a) / 3; 2.0 ** b; (a + 1) ** -1
    round(a / 2.0); a if b > 1 else 0.5; a ** b""")
_FLOAT_TO_INTEGER = _split("a; a * 2; int(a); int(a) // 2; dace.int64(a) % 3; a > b")


def _combined(kind: Any, result: Any, *texts: str) -> list[Item]:
    return [("o = a", kind, result, f"lambda a, b: {text}") for text in texts]


EXPRESSIONS: list[Item] = [
    *((code, I, I, None) for code in _INTEGER),
    *((code, F, F, None) for code in _FLOAT + _LIBM + _STATEMENTS),
    *((code, F32, F32, None) for code in _FLOAT32),
    *((code, I, F, None) for code in _INTEGER_TO_FLOAT),
    *((code, F, I, None) for code in _FLOAT_TO_INTEGER),
    *((code, L, L, None) for code in _split("a * b * 1000000007; a // (b + 1); (a - b) % 3; a << 40")),
    *((code, B, I, None) for code in _split("a + b; a and b; not a; a == b")),
    *((code, I, kind, None) for code in _split("a; a - 2")
      for kind in (B, dace.int8, dace.uint8, dace.int16, dace.uint32, L, F32)),
    *((code, dace.uint8, kind, None) for code in _split("a + 250; a - 2") for kind in (dace.uint8, I, L)),
    ("o = a * b", I, L, None),
    ("t = a * 100000\nt = t * t\no = t", I, L, None),
    ("o = a - b", dace.uint32, F, None),
    *_combined(F, F, "a + b", "a * b", "max(a, b)", "min(a, b)", "a - b", "b", "a + 2 * b", "a if a > b else b"),
    *_combined(I, I, "a + b", "a * b", "max(a, b)", "min(a, b)", "b - a", "a and b", "a or b"),
    *_combined(I, I, "a & b", "a | b", "a ^ b"),
    *_combined(B, B, "a and b", "a or b"),
    *_combined(F, I, "a + b", "max(a, b)"),
    *_combined(I, F, "a + b"),
    *_combined(F, F32, "a + b"),
]


def expression_programs() -> dict[str, list[Item]]:
    """Groups of expressions with the same types, each a program; calls of libm in programs of their own."""
    groups: dict[str, list[Item]] = {}
    for item in EXPRESSIONS:
        code, kind, result, _ = item
        stem = f"{kind.as_numpy_dtype()}_to_{result.as_numpy_dtype()}"
        stem += "_libm" if code in _LIBM else "_cut" if _cuts(code, kind, result) else ""
        number = 1
        while len(groups.setdefault(f"{stem}_{number}", [])) == GROUP:
            number += 1
        groups[f"{stem}_{number}"].append(item)
    return groups


def _cuts(code: str, kind: Any, result: Any) -> bool:
    """Whether floats become integers: what NaN and infinity become is not defined in C++."""
    return kind in (F, F32) and ("//" in code or "int" in code or result not in (F, F32))


def build(group: list[Item]) -> Any:
    """Each expression in a map of its own, with an output of its own: o0, o1, ..."""
    sdfg = dace.SDFG("expressions")
    for name in ("A", "B"):
        sdfg.add_array(name, [SIZE], group[0][1])
    state = sdfg.add_state("s", is_start_block=True)
    for k, (code, _, result, wcr) in enumerate(group):
        sdfg.add_array(f"o{k}", [SIZE], result)
        names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
        used = {name.lower(): Memlet(f"{name}[i]") for name in ("A", "B") if name.lower() in names}
        state.add_mapped_tasklet(f"t{k}", {"i": f"0:{SIZE}"}, used, code, {"o": Memlet(f"o{k}[i]", wcr=wcr)},
                                 external_edges=True)
    return sdfg
