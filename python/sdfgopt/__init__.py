"""Removes buffers and copies from DaCe programs, and proves that nobody can tell."""
from sdfgopt._core import __version__

__all__ = ["__version__"]
