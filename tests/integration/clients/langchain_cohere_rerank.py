"""langchain-cohere: `CohereRerank.compress_documents`."""

import sys
from importlib.metadata import version

from langchain_cohere import CohereRerank
from langchain_core.documents import Document

url, documents, query = sys.argv[1], sys.stdin.read().split("\x1e"), sys.argv[2]
reranker = CohereRerank(base_url=url, cohere_api_key="key", model="survey", top_n=None)
given = [Document(page_content=text, metadata={"place": place}) for place, text in enumerate(documents)]
found = reranker.compress_documents(given, query)
print(version("langchain-cohere"), *(f"{one.metadata['place']}:{one.metadata['relevance_score']}" for one in found))
