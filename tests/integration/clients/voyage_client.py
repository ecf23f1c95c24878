"""voyageai: `/v1/rerank` with `top_k`, answered under `data`."""

import sys
from importlib.metadata import version

import voyageai

url, documents, query = sys.argv[1], sys.stdin.read().split("\x1e"), sys.argv[2]
client = voyageai.Client(api_key="key", base_url=f"{url}/v1", max_retries=0)
answer = client.rerank(query, documents, model="survey")
print(version("voyageai"), *(f"{one.index}:{one.relevance_score}" for one in answer.results))
