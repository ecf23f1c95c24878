"""Doors for clients of the reranking APIs that exist: Cohere's v1 and v2, Jina's, Voyage's, vLLM's and TEI's.

Such clients send texts alone, and re-sort, threshold or cut what comes back. So the answer says everything by scores:
seats first, strictly decreasing, every seat above one half; then, after a gap, all that got no seat below one quarter.
"""
