"""Pools from stores people already have: ask the store for candidates with scores and vectors, select here.

One store a file. Where a store has a diversity knob of its own, `lambdas.py` says which way it turns.
"""
