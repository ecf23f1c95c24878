"""The table of the README, made from bench/results: run after the tables it reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Row = tuple[str, str, str]  # what, the time it takes, what stands beside it
ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- bench:begin (made by `python -m bench readme`) -->", "<!-- bench:end -->"


def result(name: str) -> dict[str, Any]:
    path = ROOT / "bench" / "results" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def against_pyversity() -> Iterator[Row]:
    for name, what in (("mmr", "MMR"), ("dpp", "DPP, greedy MAP")):
        groups: dict[tuple[int, int, int], list[dict[str, Any]]] = {}
        for row in result(name).get("rows", []):
            groups.setdefault((row["n"], row["d"], row["k"]), []).append(row)
        for (n, d, k), group in groups.items():
            slowest = max(row["reparto_us"] for row in group)
            ratios = [row["times"] for row in group]
            against = f"{min(ratios):.1f}–{max(ratios):.1f} × pyversity {result(name)['versions'].get('pyversity', '')}"
            yield f"{what}, {n:,} candidates, {d}-d, k = {k}", f"{slowest / 1000:.2f} ms", against


def against_langchain() -> Iterator[Row]:
    if row := result("mmr").get("langchain"):
        what = f"MMR, {row['n']:,} candidates, k = {row['k']}"
        yield what, f"{row['reparto_us'] / 1000:.2f} ms", f"{row['times']:.0f} × LangChain"


def whole_policies() -> Iterator[Row]:
    """The survey policy from dicts to the finished selection, beside what LangChain's MMR alone takes."""
    medians = {row["side"]: row["median_ms"] for row in result("survey").get("rows", [])}
    for side, median in medians.items():
        what, _, vectors = side.rpartition(", ")
        if what.startswith("survey"):
            alone = medians[f"LangChain's MMR alone, {vectors}"]
            policy, _, given = what.partition(":")
            yield (
                f"whole {policy} policy, 100 candidates:{given}, {vectors}",
                f"{median:.2f} ms",
                f"LangChain's MMR alone: {alone:.2f} ms",
            )


def batches() -> Iterator[Row]:
    found = result("batch")
    sides = {row["side"]: row["requests_per_second"] for row in found.get("rows", [])}
    if sides:
        what = f"MMR, batch of {found['requests']:,} requests of 100 candidates"
        two = f"two threads: {sides['2 threads']:,} a second (arithmetic: {found['scaling_of_plain_arithmetic']} ×)"
        yield what, f"{sides['1 thread']:,} a second", two


def texts() -> Iterator[Row]:
    for row in result("fingerprints").get("rows", []):
        if row["texts"].startswith("100 x 1 kB"):
            peers = (
                f"{row['datasketch_x']:.0f} × datasketch, {row['gaoya_x']:.0f} × gaoya, {row['rensa_x']:.0f} × rensa"
            )
            yield f"fingerprints from raw text, {row['texts']}", f"{row['reparto_ms']:.2f} ms", peers
    for row in result("overlaps").get("rows", []):
        if row["texts"] in (100, 1000, 10000):
            per = f"{row['ms_per_100']:.2f} ms per 100"
            yield f"near-duplicates among {row['texts']:,} raw texts of 1 kB", f"{row['ms']:.1f} ms", per


def paths() -> Iterator[Row]:
    for row in result("path_kernel").get("rows", []):
        what = f"every MMR selection over lambda, {row['n']} candidates, k = {row['k']} ({row['pool']})"
        yield what, f"{row['path_us'] / 1000:.2f} ms", f"a grid of 101: {row['grid_of_101_us'] / 1000:.2f} ms"


PARTS: tuple[Callable[[], Iterator[Row]], ...] = (
    whole_policies, against_pyversity, against_langchain, batches, texts, paths,
)  # fmt: skip


def table() -> str:
    machine = result("mmr").get("machine", {})
    isa, load = machine.get("kernels", {}).get("isa"), (machine.get("load") or [0])[0]
    machine = f"{machine.get('processor')}, {isa}, one thread, at a load of {load:.0f}" if machine else ""
    head = ["| what | time | beside it, same process and run |", "|---|---|---|"]
    body = [f"| {what} | {time} | {peer} |" for part in PARTS for what, time, peer in part()]
    note = f"Medians of 30 on {machine or 'one core'}; `make bench` makes them anew, bench/results/ holds the rest."
    return "\n".join([*head, *body, "", note])


def main(argv: list[str]) -> int:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")
    print(table())
    return 0
