"""Inputs, work folder and result of an engine in Lance and on an object store that is really served."""

import json
import socket
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow", reason="distributed engines exchange Arrow tables")
pytest.importorskip("daft", reason="the engine `daft` is not installed")

from bench.corpus_generator import corpus

from reparto.corpus.engines.daft import DaftEngine
from reparto.corpus.engines.inputs import documents_of, lines_of, tasks
from reparto.corpus.engines.local import Local
from reparto.corpus.engines.places import Folder, address
from reparto.corpus.job import Job
from reparto.errors import CorpusError

FIELDS = ("id", "text", "source", "published")


@pytest.fixture(scope="module")
def documents():
    return [one for one, _ in corpus(300, seed=5)]


@pytest.fixture(scope="module")
def expected(documents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    write_lines(documents, folder / "texts.jsonl")
    found = {}
    for name in ("groups.jsonl", "groups.parquet"):
        Local().run(Job((str(folder / "texts.jsonl"),), folder / name, folder / "work"))
        found[name] = (folder / name).read_bytes()
    return found


def write_lines(documents, path):
    path.write_text("".join(json.dumps(one) + "\n" for one in documents), "utf-8")


def table_of(documents):
    return pa.table({name: [one[name] for one in documents] for name in FIELDS})


@pytest.fixture
def bucket(monkeypatch):
    moto = pytest.importorskip("moto.server", reason="needs moto[server], which serves S3 on loopback")
    boto3 = pytest.importorskip("boto3", reason="needs boto3, to make a bucket")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    settings = {
        "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT": url,
        "AWS_ENDPOINT_URL": url, "AWS_ALLOW_HTTP": "true", "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=port)
    server.start()
    client = boto3.client("s3", endpoint_url=url)
    client.create_bucket(Bucket="bucket")
    yield client
    server.stop()


def put(client, key, path):
    client.put_object(Bucket="bucket", Key=key, Body=path.read_bytes())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_object_store_in_and_out(bucket, documents, expected, tmp_path):
    """JSONL and Parquet of one folder of a bucket; scratch and both forms of result on it too."""
    pa.parquet = pytest.importorskip("pyarrow.parquet")
    write_lines(documents[:150], tmp_path / "a.jsonl")
    pa.parquet.write_table(table_of(documents[150:]), tmp_path / "b.parquet", row_group_size=20)
    put(bucket, "in/a.jsonl", tmp_path / "a.jsonl")
    put(bucket, "in/deep/b.parquet", tmp_path / "b.parquet")
    put(bucket, "in/notes.unknown", tmp_path / "a.jsonl")
    for name, bytes_ in expected.items():
        out = Path(f"s3://bucket/out/{name}")  # as the command line makes it
        account = DaftEngine().run(Job(("s3://bucket/in",), out, out.with_name("work"), partitions=2))
        assert account.documents == 300
        assert bucket.get_object(Bucket="bucket", Key=f"out/{name}")["Body"].read() == bytes_
    left = bucket.list_objects_v2(Bucket="bucket", Prefix="out/")["Contents"]
    assert sorted(one["Key"] for one in left if one["Size"]) == ["out/groups.jsonl", "out/groups.parquet"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lance_in_and_out(documents, expected, tmp_path):
    lancedb = pytest.importorskip("lancedb", reason="tables of Lance need the extra `store`")
    base = lancedb.connect(tmp_path / "in")
    base.create_table("first", table_of(documents[:200]))
    base.open_table("first").add(table_of(documents[200:250]))
    base.create_table("second", table_of(documents[250:]))
    out = tmp_path / "groups.lance"
    DaftEngine().run(Job((str(tmp_path / "in"),), out, tmp_path / "work", partitions=3))
    rows = lancedb.connect(tmp_path).open_table("groups").to_arrow().to_pylist()
    assert rows == [json.loads(line) for line in expected["groups.jsonl"].splitlines()]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lance_on_an_object_store(bucket, documents, expected, tmp_path):
    lancedb = pytest.importorskip("lancedb", reason="tables of Lance need the extra `store`")
    lancedb.connect("s3://bucket/tables").create_table("texts", table_of(documents))
    job = Job(("s3://bucket/tables/texts.lance",), Path("s3://bucket/out.lance"), tmp_path / "work", partitions=1)
    DaftEngine().run(job)
    rows = lancedb.connect("s3://bucket").open_table("out").to_arrow().to_pylist()
    assert rows == [json.loads(line) for line in expected["groups.jsonl"].splitlines()]


def test_every_line_is_read_once_wherever_the_ranges_are_cut(tmp_path):
    lines = [b"one", b"", b"two two", b"3", b"the fourth line", b"  ", b"last"]
    for ending in (b"", b"\n"):
        path = tmp_path / "lines"
        path.write_bytes(b"\n".join(lines) + ending)
        size = path.stat().st_size
        for step in range(1, size + 2):
            found = [line for at in range(0, size, step) for line in lines_of(str(path), at, at + step)]
            assert found == [line for line in lines if line.strip()], (ending, step)


def test_rows_of_parquet_and_lines_are_the_same_documents(tmp_path, documents):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_lines(documents, tmp_path / "a.jsonl")
    parquet.write_table(table_of(documents), tmp_path / "b.parquet", row_group_size=7)
    read = [
        [one for task in tasks([str(tmp_path / name)], None, None) for one in documents_of(task)]
        for name in ("a.jsonl", "b.parquet")
    ]
    assert read[0] == read[1]
    assert len(read[0]) == 300


def test_addresses_that_a_path_has_shortened():
    assert address(Path("s3://bucket/a/b.jsonl")) == "s3://bucket/a/b.jsonl"
    assert address("gs://bucket") == "gs://bucket"
    assert address("C:/x") == str(Path("C:/x").absolute())
    assert Folder.at("s3://bucket/a/").where == "s3://bucket/a"


def test_the_local_engine_refuses_an_address(tmp_path):
    with pytest.raises(CorpusError, match="not_local"):
        Local().run(Job((str(tmp_path),), Path("s3://bucket/g.jsonl"), tmp_path / "w"))
