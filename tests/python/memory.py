"""Memory of SDFGs: flat buffers, and the layouts that look at them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from expressions import CannotRun, Fault, integer

Json = dict[str, Any]
Index = tuple[int, ...]
FLOAT_FILLS = (float("nan"), -987.25)
INTEGER_FILLS = (101, 57)


def descriptor_layout(descriptor: Json, names: Mapping[str, Any]) -> tuple[np.dtype, Index, Index, int, int]:
    """Type, shape, strides, total size and start offset of a Scalar or an Array."""
    kind, attributes = descriptor["type"], descriptor["attributes"]
    if kind not in ("Scalar", "Array", "ArrayView"):
        raise CannotRun(f"data of type {kind}")
    dtype = attributes.get("dtype", "int32")
    if not isinstance(dtype, str):
        raise CannotRun(f"element type {dtype}")
    shape = tuple(max(0, integer(e, names)) for e in attributes.get("shape", ["1"]))
    contiguous = tuple(int(np.prod(shape[d + 1:], dtype=int)) for d in range(len(shape)))
    strides = tuple(integer(e, names) for e in attributes.get("strides", [])) or contiguous
    total = max(0, integer(attributes.get("total_size", "0"), names)) or int(np.prod(shape, dtype=int))
    return np.dtype(dtype), shape, strides, total, integer(attributes.get("start_offset", 0), names)


@dataclass(frozen=True)
class Ref:
    """Memory with a layout: what a data name stands for."""
    buffer: np.ndarray
    base: int
    shape: Index
    strides: Index
    offset: Index

    def position(self, index: Index) -> int:
        if len(index) != len(self.strides):
            raise CannotRun(f"{len(index)} indices for {len(self.strides)} dimensions")
        at = self.base + sum((int(i) + o) * s for i, o, s in zip(index, self.offset, self.strides))
        return self.checked(at)

    def checked(self, at: int) -> int:
        if not 0 <= at < self.buffer.size:
            raise Fault(f"element {at} of {self.buffer.size}")
        return at

    def load(self, index: Index) -> Any:
        return self.buffer[self.position(index)]

    def store(self, index: Index, value: Any) -> None:
        self.buffer[self.position(index)] = value

    def __getitem__(self, index: Any) -> Any:
        """For expressions: integers as Python's, which do not overflow."""
        value = self.load(index if isinstance(index, tuple) else (index,))
        return value if isinstance(value, np.floating) else value.item()

    def __call__(self, *index: int) -> Any:
        return self[index]


@dataclass(frozen=True)
class Pointer:
    """A tasklet's array connector: the address of its subset's first element, and the strides there."""
    ref: Ref
    base: int
    strides: Index
    kept: tuple[bool, ...] | None
    wcr: Callable[[Any, Any], Any] | None

    def _position(self, index: Any) -> int:
        index = index if isinstance(index, tuple) else (index,)
        if self.kept and len(index) > 1 and sum(self.kept) != len(index):
            index = tuple(i for i, keep in zip(index, self.kept) if keep)
        if len(index) != len(self.strides):
            raise CannotRun(f"{len(index)} indices for {len(self.strides)} dimensions in a tasklet")
        return self.ref.checked(self.base + sum(int(i) * s for i, s in zip(index, self.strides)))

    def __getitem__(self, index: Any) -> Any:
        return self.ref.buffer[self._position(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        at = self._position(index)
        self.ref.buffer[at] = self.wcr(self.ref.buffer[at], value) if self.wcr else value


def copied(ref: Ref, at: int) -> Ref:
    return Ref(np.array([ref.buffer[ref.checked(at)]], ref.buffer.dtype), 0, (1,), (1,), (0,))
