"""The default store on an object store, served on loopback."""

import socket
from collections.abc import Iterator

import pytest

from reparto.corpus.setup import Wanted, prepared, rebuild
from reparto.documents import Document
from reparto.errors import CorpusError
from reparto.retrieval.searching import Search
from reparto.stores.check import check_store_directory
from reparto.stores.opening import open_store

pytest.importorskip("lancedb", reason="needs the extra `store`")
moto = pytest.importorskip("moto.server", reason="needs moto[server], which serves S3 on loopback")
boto3 = pytest.importorskip("boto3", reason="needs boto3, to make a bucket")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1"}
    places = {
        "AWS_ENDPOINT": url,
        "AWS_ENDPOINT_URL": url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in {**keys, **places}.items():
        monkeypatch.setenv(name, value)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=port)
    server.start()
    boto3.client("s3", endpoint_url=url).create_bucket(Bucket="bucket")
    yield "s3://bucket/store"
    server.stop()


def test_index_search_rebuild(bucket: str) -> None:
    wanted = Wanted(bucket, embedder="none")
    with prepared(wanted) as indexer:
        indexer.index([Document("A", "The sluice opens."), Document("B", "The sluice opens.")])
    with prepared(wanted) as indexer:
        summary = indexer.index([Document("A", "The sluice opens."), Document("C", "Another sluice.")])
    assert (summary.added, summary.unchanged) == (1, 1)
    store = open_store(bucket)
    assert store.manifest.kind == "lancedb"
    selection = Search(store)("sluice", query_class="survey").selection
    assert {seat.id: seat.copies.count for seat in selection} == {"A": 2, "C": 1}
    rebuild(wanted)
    found, problems = check_store_directory(bucket, deep=True)
    assert problems == []
    assert (found["generation"], found["documents"], found["leaders"]) == (2, 3, 2)


def test_only_that_kind(bucket: str) -> None:
    with pytest.raises(CorpusError, match=r"not a local directory|not sqlite"), prepared(Wanted(bucket, kind="sqlite")):
        pass
