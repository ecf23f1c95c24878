"""litellm: a call for each provider that the arguments name."""

import os
import sys
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

litellm.telemetry = False
url, documents, query, *providers = sys.argv[1], sys.stdin.read().split("\x1e"), *sys.argv[2:]
bases = {
    "cohere": f"{url}/v2/rerank",
    "jina_ai": f"{url}/v1/rerank",
    "hosted_vllm": f"{url}/rerank",
    "huggingface": f"{url}/rerank",
    "infinity": f"{url}/rerank",
    "together_ai": f"{url}/v1",
    "voyage": f"{url}/v1/rerank",
}
for provider in providers:
    answer = litellm.rerank(
        model=f"{provider}/survey",
        query=query,
        documents=documents,
        api_base=bases[provider],
        api_key="key",
        top_n=len(documents),
    )
    print(version("litellm"), *(f"{one['index']}:{one['relevance_score']}" for one in answer.results))
