"""Adapters: frameworks and stores people already have. One file and one extra each; nothing is imported here.

Ids, scores and metadata survive, and vectors already held are used, never made again.
"""
