"""The example that has a language model write a bank's facts, against an endpoint that answers by rule."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from reparto.evaluation.bank import read_bank

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "facts_from_a_model.py"
FACTS = {"Ferries stop at nine": "nine", "Trams run all night": "night"}


@pytest.fixture
def example() -> Any:
    spec = importlib.util.spec_from_file_location("facts_from_a_model", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Endpoint(BaseHTTPRequestHandler):
    """Speaks the chat protocol: lists two facts, and finds a fact by its keyword; the first answer to each is
    rubbish."""

    asked: list[str]

    def do_POST(self) -> None:
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][0]["content"]
        first = prompt not in self.asked
        self.asked.append(prompt)
        if first and "List the distinct facts" in prompt:
            content = "Surely! Here they are."
        elif "List the distinct facts" in prompt:
            content = f"```json\n{json.dumps({'facts': [*FACTS, 'A fact that nobody states']})}\n```"
        else:
            passage = re.search(r"<passage>\n(.*)\n</passage>", prompt, re.DOTALL)
            text = passage[1] if passage else ""
            content = json.dumps({"stated": [n for n, word in enumerate(FACTS.values(), 1) if word in text]})
        body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def test_a_bank_is_written_through_an_endpoint(example: Any, tmp_path: Path) -> None:
    Endpoint.asked = []
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        texts = {"a": "The last ferry leaves at nine.", "b": "All night long there are trams.", "c": "Taxis."}
        candidates = [{"id": id, "text": text, "score": 0.5} for id, text in texts.items()]
        (tmp_path / "r.jsonl").write_text(
            json.dumps({"query": "How late?", "candidates": candidates}) + "\n", encoding="utf-8"
        )
        url = f"http://127.0.0.1:{server.server_port}/v1"
        code = example.main([str(tmp_path / "r.jsonl"), str(tmp_path / "bank.jsonl"), "--url", url])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert code == 0
    query = read_bank(tmp_path / "bank.jsonl").queries[0]
    assert dict(zip(query.judgments.level().names, ("a", "b"), strict=True)) == {
        "Ferries stop at nine": "a",
        "Trams run all night": "b",
    }


def test_a_query_whose_answers_are_no_use_is_left_out(
    example: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.jsonl").write_text(
        json.dumps({"candidates": [{"id": 1, "text": "x", "score": 1}]}), encoding="utf-8"
    )
    code = example.main([str(tmp_path / "r.jsonl"), str(tmp_path / "b.jsonl")], ask=lambda prompt: "no idea")
    assert code == 1
    assert "line 1 is left out" in capsys.readouterr().err
    assert (tmp_path / "b.jsonl").read_text(encoding="utf-8") == ""
