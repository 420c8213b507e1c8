"""Expressions and code of SDFGs, run as Python.

Two languages: symbolic expressions (`$` before names, exact division) and Python code (conditions,
assignments, tasklets). Both are compiled once per text and run over a mapping of names.
"""

import ast
import functools
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np


class CannotRun(Exception):
    """The program uses something that the oracle does not do. Says nothing about the program."""


class Fault(Exception):
    """The program does what no program may: an access outside of its memory."""


def divide(a: Any, b: Any) -> Any:
    """Exact for integers (`1/2*N` is N/2); as the numbers do it for floats."""
    integers = (int, Fraction, np.integer, np.bool_)
    if isinstance(a, integers) and isinstance(b, integers):
        if b == 0:
            raise Fault("integer division by zero")
        exact = [x if isinstance(x, Fraction) else Fraction(int(x)) for x in (a, b)]
        quotient = exact[0] / exact[1]
        return int(quotient) if quotient.denominator == 1 else quotient
    return np.float64(a) / b if isinstance(a, (int, float)) else a / b


def _int_floor(a: int, b: int) -> int:
    if b == 0:
        raise Fault("integer division by zero")
    return a // b


def _invert(a: Any) -> Any:
    return not a if isinstance(a, (bool, np.bool_)) else ~a


def _like_c(function: Callable[..., float]) -> Callable[..., np.float64]:
    """Python raises where C gives NaN or infinity."""

    def wrapped(*arguments: Any) -> np.float64:
        try:
            return np.float64(function(*map(float, arguments)))
        except ValueError:
            return np.float64(math.nan)
        except OverflowError:
            return np.float64(math.inf)

    return wrapped


_MATH = {name: _like_c(getattr(math, name)) for name in
         "sqrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh pow fabs atan2".split()}
_MATH |= {"floor": math.floor, "ceil": math.ceil, "isnan": np.isnan}
_TYPES = {name: np.dtype(name).type for name in
          "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()} | {"bool": np.bool_}

_FUNCTIONS: dict[str, Any] = {
    "Max": max, "Min": min, "max": max, "min": min, "Abs": abs, "abs": abs, "floor": math.floor,
    "ceiling": math.ceil, "ceil": math.ceil, "ROUND": round, "round": round, "int": int, "float": np.float64,
    "bool": bool, "int_floor": _int_floor, "int_ceil": lambda a, b: -_int_floor(-a, b),
    "Mod": lambda a, b: a - b * _int_floor(a, b), "Eq": lambda a, b: a == b, "Ne": lambda a, b: a != b,
    "Gt": lambda a, b: a > b, "Ge": lambda a, b: a >= b, "Lt": lambda a, b: a < b, "Le": lambda a, b: a <= b,
    "AND": lambda *a: all(a), "OR": lambda *a: any(a), "And": lambda *a: all(a), "Or": lambda *a: any(a),
    "Not": lambda a: not a, "IfExpr": lambda c, a, b: a if c else b, "SymExpr": lambda a, _: a,
    "Subscript": lambda array, *index: array[index], "ipow": lambda a, b: a**b,
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
    "bitwise_invert": _invert, "left_shift": lambda a, b: a << b, "right_shift": lambda a, b: a >> b,
    "range": range, "len": len, "math": SimpleNamespace(**_MATH), "np": np, "numpy": np,
    "dace": SimpleNamespace(**_TYPES),
}
_FUNCTIONS |= {f"__{name}": _FUNCTIONS[name] for name in
               ("int_floor", "int_ceil", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert",
                "left_shift", "right_shift")}
_FUNCTIONS |= _TYPES | {name: _MATH[name] for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "pow")}
_GLOBALS = {"__builtins__": {}, "__divide": divide, "__invert": _invert, "True": True, "False": False} | _FUNCTIONS


class _Rewrite(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._call("__divide", node.left, node.right) if isinstance(node.op, ast.Div) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self._call("__invert", node.operand) if isinstance(node.op, ast.Invert) else node

    def _call(self, name: str, *arguments: ast.expr) -> ast.Call:
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


_SYMBOL = re.compile(r"symbol\(\$(\w+)[^()]*\)")
_SUFFIX = re.compile(r"(?<![\w.])(\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?:[iu](?:8|16|32|64)|f(?:16|32|64))\b")


@functools.lru_cache(maxsize=None)
def _compiled(text: str, mode: str) -> CodeType:
    text = _SUFFIX.sub(r"\1", _SYMBOL.sub(r"\1", text)).replace("$", "")
    try:
        tree = ast.fix_missing_locations(_Rewrite().visit(ast.parse(text.strip(), mode=mode)))
        return compile(tree, text, mode)
    except SyntaxError as error:
        raise CannotRun(f"not Python: {text!r}: {error}") from error


def _guarded(action: Callable[[], Any], text: str) -> Any:
    try:
        return action()
    except (CannotRun, Fault):
        raise
    except Exception as error:
        raise CannotRun(f"{type(error).__name__} in {text!r}: {error}") from error


def value_of(text: str | int, names: Mapping[str, Any]) -> Any:
    """The value of an expression of either language."""
    if isinstance(text, int):
        return text
    return _guarded(lambda: eval(_compiled(text, "eval"), _GLOBALS, names), text)


def integer(text: str | int, names: Mapping[str, Any]) -> int:
    """The value of an index, extent or stride."""
    value = value_of(text, names)
    if int(value) != value:
        raise CannotRun(f"not an integer: {text}")
    return int(value)


def execute(text: str, names: dict[str, Any]) -> None:
    """Runs statements; what they assign is found in `names` afterwards."""
    _guarded(lambda: exec(_compiled(text, "exec"), dict(_GLOBALS), names), text)


@functools.lru_cache(maxsize=None)
def subscripted_names(text: str) -> frozenset[str]:
    """The names that the code indexes."""
    return frozenset(node.value.id for node in ast.walk(ast.parse(text))
                     if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name))


@functools.lru_cache(maxsize=None)
def names_in(text: str) -> frozenset[str]:
    """All names in a text of either language."""
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))


@functools.lru_cache(maxsize=None)
def always_equal(a: str, b: str) -> bool:
    """Equal as expressions, whatever the symbols are: tried at a few points far apart."""
    if a == b:
        return True
    names = sorted((names_in(a) | names_in(b)) - _FUNCTIONS.keys())
    for salt in (1, 2, 3):
        point = {name: (7919 * salt + 104729 * k * k) % 99991 for k, name in enumerate(names, salt)}
        try:
            if value_of(a, point) != value_of(b, point):
                return False
        except (CannotRun, Fault):
            return False
    return True
