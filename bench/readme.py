"""The table of the README, made from bench/results: run after the tables it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- bench:begin (made by `python -m bench readme`) -->", "<!-- bench:end -->"


def result(name: str) -> dict[str, Any]:
    path = ROOT / "bench" / "results" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def rows() -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for name, what in (("mmr", "MMR"), ("dpp", "DPP, greedy MAP")):
        groups: dict[tuple[int, int, int], list[dict[str, Any]]] = {}
        for row in result(name).get("rows", []):
            groups.setdefault((row["n"], row["d"], row["k"]), []).append(row)
        for (n, d, k), group in groups.items():
            slowest = max(row["reparto_us"] for row in group)
            ratios = [row["times"] for row in group]
            against = f"{min(ratios):.1f}–{max(ratios):.1f} × pyversity {result(name)['versions'].get('pyversity', '')}"
            found.append((f"{what}, {n:,} candidates, {d}-d, k = {k}", f"{slowest / 1000:.2f} ms", against))
    if row := result("mmr").get("langchain"):
        found.append(
            (
                f"MMR, {row['n']:,} candidates, k = {row['k']}",
                f"{row['reparto_us'] / 1000:.2f} ms",
                f"{row['times']:.0f} × LangChain",
            )
        )
    for row in result("fingerprints").get("rows", []):
        if row["texts"].startswith("100 x 1 kB"):
            peers = (
                f"{row['datasketch_x']:.0f} × datasketch, {row['gaoya_x']:.0f} × gaoya, {row['rensa_x']:.0f} × rensa"
            )
            found.append((f"fingerprints from raw text, {row['texts']}", f"{row['reparto_ms']:.2f} ms", peers))
    for row in result("path_kernel").get("rows", []):
        found.append(
            (
                f"every MMR selection over lambda, {row['n']} candidates, k = {row['k']} ({row['pool']})",
                f"{row['path_us'] / 1000:.2f} ms",
                f"a grid of 101: {row['grid_of_101_us'] / 1000:.2f} ms",
            )
        )
    return found


def table() -> str:
    machine = result("mmr").get("machine", {})
    isa, load = machine.get("kernels", {}).get("isa"), (machine.get("load") or [0])[0]
    machine = f"{machine.get('processor')}, {isa}, one thread, at a load of {load:.0f}" if machine else ""
    head = ["| what | time | beside it, same process and run |", "|---|---|---|"]
    body = [f"| {what} | {time} | {peer} |" for what, time, peer in rows()]
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
