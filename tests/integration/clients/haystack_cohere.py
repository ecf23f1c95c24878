"""cohere-haystack: `CohereRanker`."""

import os
import sys
from importlib.metadata import version

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from haystack import Document
from haystack.utils import Secret
from haystack_integrations.components.rankers.cohere import CohereRanker

url, documents, query = sys.argv[1], sys.stdin.read().split("\x1e"), sys.argv[2]
ranker = CohereRanker(model="survey", top_k=len(documents), api_key=Secret.from_token("key"), api_base_url=url)
given = [Document(id=str(place), content=text) for place, text in enumerate(documents)]
found = ranker.run(query=query, documents=given)["documents"]
print(version("cohere-haystack"), *(f"{one.id}:{one.score}" for one in found))
