"""`ask` and the rerank door against servers that speak the protocols, over real sockets."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reparto import select
from reparto.corpus.chunking.paragraphs import Paragraphs
from reparto.corpus.indexing import Indexer
from reparto.documents import Document
from reparto.embedders.openai import OpenAI
from reparto.endpoint import Endpoint
from reparto.errors import CorpusError
from reparto.retrieval.asking import ask, checked
from reparto.retrieval.reranking import Reranker
from reparto.retrieval.searching import Search
from reparto.stores.memory import MemoryStore
from reparto.testing.embedders import HashedWords, check_embedder

Answer = Callable[[str, dict[str, Any]], tuple[int, Any]]


class Service:
    """A server on loopback: `answer(path, body)` gives status and JSON (or bytes); what was sent is kept."""

    def __init__(self, answer: Answer) -> None:
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.seen.append((self.path, dict(self.headers), body))
                status, reply = answer(self.path, body)
                raw = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Service]]:
    running: list[Service] = []

    def start(answer: Answer) -> Service:
        running.append(Service(answer))
        return running[-1]

    yield start
    for one in running:
        one.close()


def chat(text: Any) -> Answer:
    return lambda path, body: (200, {"choices": [{"message": {"role": "assistant", "content": text}}]})


@pytest.fixture
def selection() -> Any:
    candidates = [
        {"id": "a", "text": "The bridge closed on 3 March after a crane struck it.", "score": 0.9, "source": "EFE",
         "document": "A", "start": 10, "end": 63, "url": "https://e.example/a", "title": "Bridge",
         "metadata": {"retrieval": {"start": 10, "end": 63}}},
        {"id": "b", "text": "Repairs will cost 4.5 million.", "score": 0.8, "source": "dpa", "document": "B"},
    ]  # fmt: skip
    return select({"query": "bridge", "query_class": "survey", "k": 2, "candidates": candidates})


def test_an_answer_with_citations_that_hold_and_others(serve: Any, selection: Any) -> None:
    text = "A crane struck it on 3 March [1]. It costs 9 million [2]. It reopens soon [7]. Nobody knows why."
    service = serve(chat(text))
    written = ask("What happened?", selection, Endpoint(f"{service.url}/v1/chat/completions", "secret"), "m")
    assert [(one.number, one.status) for one in written.citations] == [
        (1, "valid"),
        (2, "unsupported"),
        (7, "no_passage"),
    ]
    assert written.citations[1].missing == ("9",)
    assert written.uncited == ("Nobody knows why.",)
    assert written.marked() == text.replace("[2]", "[2]⚠(not in it: 9)").replace("[7]", "[7]⚠(no such passage)")
    first = written.to_dict()["citations"][0]
    assert (first["id"], first["document"], first["url"], first["source"]) == ("a", "A", "https://e.example/a", "EFE")
    assert first["offsets"] == {"start": 10, "end": 63}
    assert text[first["start_index"] : first["end_index"]] == "[1]"
    path, headers, body = service.seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body["model"] == "m"
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert "The bridge closed on 3 March" in body["messages"][1]["content"]
    assert "What happened?" in body["messages"][1]["content"]


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ("One [1][2]. Two [1, 2]; three [1; 9].", ["valid", "valid", "valid", "valid", "valid", "no_passage"]),
        ("It closed. [1]", ["valid"]),
        ("4.5 million [2]\n\n- a crane [1]", ["valid", "valid"]),
        ("[0] and [99999] and [a] and [1", ["no_passage"]),
        ("", []),
    ],
)
def test_forms_of_citation(selection: Any, text: str, statuses: list[str]) -> None:
    assert [one.status for one in checked(text, selection).citations] == statuses


@pytest.mark.parametrize(
    "reply",
    [
        (500, {"error": "down"}), (200, b"not json"), (200, {}), (200, {"choices": []}), (200, []), (302, {}),
        (200, {"choices": [{"message": {"content": None}}]}), (200, {"choices": [{"message": {"content": "  "}}]}),
    ],
)  # fmt: skip
def test_an_endpoint_that_misbehaves_is_an_error_without_the_key(serve: Any, selection: Any, reply: Any) -> None:
    endpoint = Endpoint(serve(lambda path, body: reply).url, "s3cret-key")
    with pytest.raises(CorpusError) as caught:
        ask("?", selection, endpoint, "m")
    assert "s3cret-key" not in f"{caught.value} {caught.value!r} {endpoint!r}"


def test_no_server_and_no_address(selection: Any) -> None:
    for url in ("http://127.0.0.1:9/v1", "file:///etc/hostname", "nonsense"):
        with pytest.raises(CorpusError):
            ask("?", selection, Endpoint(url, timeout=2), "m")


def rerank(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Prefers what is long, and answers in the form of the path that was asked."""
    ranked = sorted(range(len(body["documents"])), key=lambda i: -len(body["documents"][i]))
    if path == "/rerank":
        return 200, [{"index": i, "score": 1 / (n + 2)} for n, i in enumerate(ranked)]
    return 200, {"results": [{"index": i, "relevance_score": 1 / (n + 2)} for n, i in enumerate(ranked)]}


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    texts = ["bridge", "bridge bridge of the harbour", "the bridge of the harbour, a very long passage on it"]
    Indexer(made, Paragraphs()).index([Document(f"d{n}", text) for n, text in enumerate(texts)])
    return made


@pytest.mark.parametrize("path", ["/v2/rerank", "/rerank"])
def test_a_reranker_between_retrieval_and_selection(serve: Any, store: MemoryStore, path: str) -> None:
    service = serve(rerank)
    search = Search(store, reranker=Reranker(Endpoint(service.url + path), "rr"))
    answer = search("bridge", query_class="survey", k=3)
    assert [one.row.chunk.id for one in answer.pool] == ["d2", "d1", "d0"]
    assert answer.selection.seats[0].id == "d2"
    assert answer.selection.seats[0].score == 0.5
    assert service.seen[0][2]["model"] == "rr"
    assert "bm25" in answer.selection.seats[0].metadata["retrieval"]


@pytest.mark.parametrize(
    "reply",
    [
        {"results": [{"index": 0, "relevance_score": 1.0}]},
        {"results": [{"index": n, "relevance_score": float("nan")} for n in range(3)]},
        {"results": [{"index": n + 1, "relevance_score": 0.5} for n in range(3)]},
        {"results": "no"},
        [],
        None,
    ],
)
def test_a_reranker_that_does_not_score_everything_is_refused(serve: Any, store: MemoryStore, reply: Any) -> None:
    service = serve(lambda path, body: (200, reply))
    with pytest.raises(CorpusError, match="rerank"):
        Search(store, reranker=Reranker(Endpoint(service.url)))("bridge", k=2)


def embeddings(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    rows = HashedWords("16").passages(body["input"])
    data = [{"index": n, "embedding": row.tolist()} for n, row in enumerate(rows)]
    return 200, {"data": data[::-1], "model": body["model"]}


def test_an_embedding_endpoint(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    service = serve(embeddings)
    embedder = OpenAI("m", f"{service.url}/v1/")
    check_embedder(embedder)
    assert (embedder.name, embedder.version, embedder.dimension) == ("openai:m", "m", 16)
    assert service.seen[0][0] == "/v1/embeddings"
    assert service.seen[0][1]["Authorization"] == "Bearer k"


@pytest.mark.parametrize(
    "reply",
    [{}, {"data": []}, {"data": [{"index": 5, "embedding": [1]}]}, {"data": [{"index": 0, "embedding": ["x"]}]}],
)
def test_an_embedding_endpoint_that_misbehaves(serve: Any, reply: Any) -> None:
    service = serve(lambda path, body: (200, reply))
    with pytest.raises(CorpusError, match="vectors"):
        OpenAI("m", service.url)
