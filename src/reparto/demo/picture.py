"""Draw the first query of the demo for the README: `python -m reparto.demo.picture [FILE]`.

The picture is what `reparto demo` prints, drawn by rich; nothing in it is typed by hand.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console

from reparto.demo.funnel import funnel
from reparto.demo.tables import one_query

WIDTH = 120


def picture() -> str:
    """Make the SVG. The same on every run; it loads no font from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    shown = funnel()
    console.print(one_query(shown[0], 1, len(shown)))
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", console.export_svg(title="reparto demo"), flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def main() -> None:
    """Write the picture to the file named on the command line, by default `docs/images/demo.svg`."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/demo.svg")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
