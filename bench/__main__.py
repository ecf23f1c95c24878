"""The tables: `python -m bench [NAME [its options]]`; without a name, all of them; `--list` names them.

A table is a module of this package with `main(argv) -> int | None`; adding the file is all it takes. Peers are pinned
in requirements/bench.txt; those that are absent are installed before the first table that runs.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

from bench.measuring import bare_process, install_peers
from reparto.errors import nearest

HERE = Path(__file__).parent


def tables() -> dict[str, str]:
    """Name of each table and the first line of what it says of itself; nothing is imported."""
    found = {}
    for path in sorted(HERE.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(one, ast.FunctionDef) and one.name == "main" for one in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "").split("\n")[0]
    found.pop("__main__", None)
    return found


def main(argv: list[str]) -> int:
    known = tables()
    if argv[:1] == ["--list"]:
        print("\n".join(f"{name:20} {what}" for name, what in known.items()))
        return 0
    if argv and argv[0] not in known:
        print(f"unknown table {argv[0]!r}; did you mean {nearest(argv[0], known)!r}? known: {', '.join(known)}")
        return 2
    bare_process()
    install_peers()
    failed = []
    for name in argv[:1] or known:
        try:
            code = importlib.import_module(f"bench.{name}").main(argv[1:])
        except SystemExit as stop:  # a table whose data are absent says so and stops
            code = stop.code
            if isinstance(code, str):
                print(f"{name}: {code}")
        if code not in (None, 0):
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
