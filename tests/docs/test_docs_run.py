"""What the documents say is run: every `console` and `python` block, in order, one folder a document.

In a console block a line that begins with `$ ` is a command (continued after a backslash), and the lines
below it are what it prints, both streams; `...` stands for anything, also within a line. A command exits with
0 unless it ends in `# exit N`. In a python block `>>>` lines are checked as doctests; a block without them is
just run. Names live on from block to block. A block after `<!-- not run: REASON -->` is left out, and so are
other languages.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(path for path in ROOT.glob("docs/**/*.md") if "decisions" not in path.parts)])
FENCE = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+?) -->\n+)?```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True)
class Block:
    language: str
    body: str
    line: int


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["body"], text.count("\n", 0, found.start()) + 1)
        for found in FENCE.finditer(text)
        if found["language"] in ("console", "python") and not found["reason"]
    ]


def commands(body: str) -> list[tuple[str, str]]:
    """Pairs of command and expected output."""
    found: list[tuple[str, list[str]]] = []
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines).removeprefix("> ")
            found.append((command, []))
        else:
            assert found, f"output before any command: {line!r}"
            found[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in found]


def agrees(expected: str, got: str) -> bool:
    pattern = ".*?".join(re.escape(part) for part in re.split(r"\.\.\.", expected.strip()))
    plain = "\n".join(line.rstrip() for line in got.strip().splitlines())
    return re.fullmatch(pattern, plain, re.DOTALL) is not None


def run_console(block: Block, folder: Path, where: str) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
    for command, expected in commands(block.body):
        code = EXIT.search(command)
        wanted = int(code[1]) if code else 0
        done = subprocess.run(
            ["bash", "-c", EXIT.sub("", command)],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == wanted, f"{where}: $ {command}\nexit {done.returncode}\n{done.stdout}"
        if expected:
            assert agrees(expected, done.stdout), f"{where}: $ {command}\nprints\n{done.stdout}\nnot\n{expected}"


def run_python(block: Block, names: dict, where: str) -> None:
    if ">>> " not in block.body:
        exec(compile(block.body, where, "exec"), names)  # noqa: S102 - running documents is the point
        return
    example = doctest.DocTestParser().get_doctest(block.body, names, where, where, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(example, out=report.append, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures, "".join(report)


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_document_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks(path)
    if not found:
        pytest.skip("no console or python block")
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__document__"}
    for block in found:
        where = f"{path.relative_to(ROOT)}:{block.line}"
        if block.language == "console":
            run_console(block, tmp_path, where)
        else:
            run_python(block, names, where)


def test_the_checker_tells_right_from_wrong(tmp_path: Path) -> None:
    assert agrees("one\n...\nthree", "one\ntwo\nthree\n")
    assert agrees("a ... c", "a b c")
    assert not agrees("one\nthree", "one\ntwo\nthree")
    assert commands("$ a \\\n> b\nout\n$ c") == [("a b", "out"), ("c", "")]
    run_console(Block("console", "$ echo hello\nhello\n$ exit 3  # exit 3\n", 1), tmp_path, "here")
    with pytest.raises(AssertionError, match="prints"):
        run_console(Block("console", "$ echo hello\ngoodbye\n", 1), tmp_path, "here")
    with pytest.raises(AssertionError, match="exit 3"):
        run_console(Block("console", "$ exit 3\n", 1), tmp_path, "here")
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), {}, "here")


def test_every_relative_link_leads_somewhere() -> None:
    link = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)")
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in [*DOCUMENTS, *ROOT.glob("docs/decisions/*.md"), ROOT / "CONTRIBUTING.md"]
        if path.is_file()
        for target in link.findall(re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
        if not (path.parent / target).exists()
    ]
    assert not broken
