"""From a question to a pool: lexical and dense channels, fused, filtered, optionally reranked, widened on
demand.
"""
