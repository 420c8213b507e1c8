"""The program `sdfg-opt` that comes with the package."""
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from sdfgopt import _core

# Beside the extension, which need not be beside this file (editable installs).
PROGRAM = Path(_core.__file__).parent / "bin" / "sdfg-opt"


def main() -> NoReturn:
    """Becomes the program."""
    # Python ignores it, and the program would inherit that: `sdfg-opt print FILE | head` has to end.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(PROGRAM, ["sdfg-opt", *sys.argv[1:]])


if __name__ == "__main__":
    main()
