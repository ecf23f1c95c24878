"""cohere, v1 client: `/v1/rerank`."""

import sys

import cohere

url, documents, query = sys.argv[1], sys.stdin.read().split("\x1e"), sys.argv[2]
answer = cohere.Client(api_key="key", base_url=url).rerank(model="survey", query=query, documents=documents)
print(cohere.__version__, *(f"{one.index}:{one.relevance_score}" for one in answer.results))
