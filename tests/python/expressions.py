"""Expressions of SDFGs, evaluated as Python: extents, strides, subsets, conditions."""

import functools
import re
from collections.abc import Mapping
from fractions import Fraction
from types import CodeType
from typing import Any


class CannotRun(Exception):
    """The text is no expression that this evaluates. Says nothing about the program."""


def _quotient(a: int, b: int) -> int:
    """Towards 0, as the C++ has it that DaCe prints."""
    return int(Fraction(a, b))


_NAMES = {"__builtins__": {}, "Max": max, "Min": min, "max": max, "min": min, "Abs": abs, "abs": abs, "int": int,
          "int_floor": _quotient, "__int_floor": _quotient, "int_ceil": lambda a, b: _quotient(a + b - 1, b),
          "Mod": lambda a, b: a - b * _quotient(a, b), "IfExpr": lambda c, a, b: a if c else b,
          "And": lambda *a: all(a), "Or": lambda *a: any(a), "AND": lambda *a: all(a), "OR": lambda *a: any(a),
          "Not": lambda a: not a, "Eq": lambda a, b: a == b, "Ne": lambda a, b: a != b, "Lt": lambda a, b: a < b,
          "Le": lambda a, b: a <= b, "Gt": lambda a, b: a > b, "Ge": lambda a, b: a >= b, "True": True,
          "False": False}
_SYMBOL = re.compile(r"symbol\(\$(\w+)[^()]*\)")


@functools.lru_cache(maxsize=None)
def _compiled(text: str) -> CodeType:
    return compile(_SYMBOL.sub(r"\1", text).replace("$", "").strip(), text, "eval")


def integer(text: str | int, names: Mapping[str, Any]) -> int:
    """The value of an index, extent or stride."""
    if isinstance(text, int):
        return text
    try:
        value = eval(_compiled(text), _NAMES, names)
    except Exception as error:
        raise CannotRun(f"{type(error).__name__} in {text!r}: {error}") from error
    if int(value) != value:
        raise CannotRun(f"not an integer: {text}")
    return int(value)


@functools.lru_cache(maxsize=None)
def names_in(text: str) -> frozenset[str]:
    """All names in a text."""
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))
